#include "codegen/module.h"

#include "codegen/clang.h"
#include "codegen/diagnostics.h"
#include "codegen/parse.h"
#include "codegen/protect.h"
#include "codegen/tools.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/CodeGen/CommandFlags.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

namespace verilocc::codegen {
namespace {

using support::InputError;
using support::Result;

const unsigned char *begin(llvm::StringRef bytes) {
  return reinterpret_cast<const unsigned char *>(bytes.begin());
}
const unsigned char *end(llvm::StringRef bytes) {
  return reinterpret_cast<const unsigned char *>(bytes.end());
}

Result<ModuleKind> kindOf(llvm::StringRef bytes, llvm::StringRef name) {
  if (bytes.trim().empty())
    return InputError{"the file is empty", name.str()};
  if (llvm::isBitcode(begin(bytes), end(bytes)))
    return ModuleKind::Bitcode;
  if (name.ends_with(".bc"))
    return InputError{"not LLVM bitcode", name.str()};
  if (bytes.starts_with("\x7f"
                        "ELF"))
    return InputError{"an ELF file, not an LLVM module", name.str()};
  if (bytes.find('\0') != llvm::StringRef::npos)
    return InputError{"neither LLVM IR nor MIR: the file is binary", name.str()};
  if (name.ends_with(".mir"))
    return ModuleKind::Mir;
  return !name.ends_with(".ll") && bytes.ltrim().starts_with("---") ? ModuleKind::Mir : ModuleKind::Text;
}

/// The major version after `prefix` in `text`, 0 if there is none.
unsigned majorAfter(llvm::StringRef text, llvm::StringRef prefix) {
  size_t at = text.find(prefix);
  unsigned major = 0;
  if (at != llvm::StringRef::npos)
    text.drop_front(at + prefix.size()).consumeInteger(10, major);
  return major;
}

/// Adds who wrote the module to an error, if that is what explains it.
void explainVersion(const Module &module, InputError &error) {
  std::string producer;
  unsigned major = 0;
  if (module.kind == ModuleKind::Bitcode) {
    if (auto found = llvm::getBitcodeProducerString(llvm::MemoryBufferRef(module.bytes, module.name)))
      producer = *found;
    else
      llvm::consumeError(found.takeError());
    major = majorAfter(producer, "LLVM");
  } else {
    llvm::StringRef text = module.bytes;
    size_t at = text.find("clang version ");
    if (at != llvm::StringRef::npos)
      producer = text.drop_front(at).take_until([](char c) { return c == '"' || c == '\n' || c == '('; }).rtrim().str();
    major = majorAfter(producer, "clang version ");
  }
  if (major > LLVM_VERSION_MAJOR)
    error.message +=
        fmt::format(" (written by {}, newer than the LLVM {} that reads it)", producer, LLVM_VERSION_STRING);
}

/// The layout of every amdgcn target is one string; only a target machine tells it.
const std::string &dataLayout() {
  static const std::string layout =
      createMachine(default_triple, TargetChoice{"gfx900", ""}, 0)->createDataLayout().getStringRepresentation();
  return layout;
}

/// Names at "name:" in the documents of a MIR file.
std::vector<std::string> mirFunctions(llvm::StringRef text) {
  std::vector<std::string> names;
  for (llvm::StringRef line; !text.empty();) {
    std::tie(line, text) = text.split('\n');
    if (line.consume_front("name:"))
      names.push_back(line.trim().trim("'\"").str());
  }
  return names;
}

} // namespace

Result<ParsedModule> parse(const Module &module, llvm::LLVMContext &context, Findings &findings,
                           const TargetChoice &choice) {
  auto set_layout = [](llvm::StringRef triple, llvm::StringRef) -> std::optional<std::string> {
    return checkTriple(triple, "") ? std::optional(dataLayout()) : std::nullopt;
  };
  ParsedModule parsed;
  llvm::SMDiagnostic diagnostic;
  llvm::MemoryBufferRef buffer(module.bytes, module.name);
  if (module.kind == ModuleKind::Mir) {
    auto set_attributes = [choice](llvm::Function &function) {
      llvm::codegen::setFunctionAttributes(choice.cpu, choice.features, function);
    };
    parsed.mir = llvm::createMIRParser(llvm::MemoryBuffer::getMemBuffer(buffer), context, set_attributes);
    if (parsed.mir)
      parsed.ir = parsed.mir->parseIRModule(set_layout);
  } else {
    parsed.ir = llvm::parseIR(buffer, diagnostic, context, llvm::ParserCallbacks(set_layout));
  }
  if (!parsed.ir) {
    InputError error = !findings.errors.empty() ? findings.errors.front() : toInputError(diagnostic, module.name);
    if (error.message.empty())
      error.message = "cannot be parsed";
    explainVersion(module, error);
    return error;
  }
  if (auto status = checkTriple(parsed.ir->getTargetTriple(), module.name); !status)
    return status.error();
  if (parsed.ir->getTargetTriple().empty())
    parsed.ir->setTargetTriple(default_triple);
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (llvm::verifyModule(*parsed.ir, &stream)) {
    InputError error{"invalid LLVM IR: " + llvm::StringRef(message).trim().str(), module.name};
    explainVersion(module, error);
    return error;
  }
  return parsed;
}

Result<Module> loadBytes(std::string bytes, const std::string &name) {
  initializeTarget();
  auto kind = kindOf(bytes, name);
  if (!kind)
    return kind.error();
  Module module{name, *kind, std::move(bytes), {}, {}};

  // On the heap, and leaked if LLVM dies in the middle: see protect.h.
  struct State {
    Findings findings;
    llvm::LLVMContext context;
    std::optional<Result<ParsedModule>> parsed;
  };
  auto state = std::make_unique<State>();
  state->context.setDiagnosticHandler(std::make_unique<DiagnosticCollector>(state->findings, name));
  if (auto death = protect([&] { state->parsed = parse(module, state->context, state->findings, {}); })) {
    (void)state.release();
    InputError error{"LLVM cannot read it: " + death->message, name};
    explainVersion(module, error);
    return error;
  }
  if (!*state->parsed)
    return state->parsed->error();
  const llvm::Module &ir = *(*state->parsed)->ir;
  module.triple = ir.getTargetTriple();
  if (module.kind == ModuleKind::Mir)
    module.functions = mirFunctions(module.bytes);
  else
    for (const llvm::Function &function : ir)
      if (!function.isDeclaration() && !function.hasAvailableExternallyLinkage())
        module.functions.push_back(function.getName().str());
  if (module.functions.empty())
    return InputError{"the module defines no function", name};
  return module;
}

Result<Module> load(const std::string &path, const LoadOptions &options) {
  auto bytes = isSource(path) ? compileSource(path, options) : readFile(path);
  if (!bytes)
    return bytes.error();
  return loadBytes(std::move(*bytes), path);
}

} // namespace verilocc::codegen
