#include "codegen/statistics.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/Object/ELF.h"
#include "llvm/Object/ELFTypes.h"

#include <fmt/format.h>
#include <map>

namespace verilocc::codegen {
namespace {

using support::InputError;

/// Remark name → field.
const std::map<llvm::StringRef, unsigned FunctionStatistics::*> &remarkFields() {
  static const std::map<llvm::StringRef, unsigned FunctionStatistics::*> fields = {
      {"NumSGPR", &FunctionStatistics::sgprs},         {"NumVGPR", &FunctionStatistics::vgprs},
      {"NumAGPR", &FunctionStatistics::agprs},         {"ScratchSize", &FunctionStatistics::scratch_bytes},
      {"Occupancy", &FunctionStatistics::waves},       {"SGPRSpill", &FunctionStatistics::sgpr_spills},
      {"VGPRSpill", &FunctionStatistics::vgpr_spills}, {"BytesLDS", &FunctionStatistics::lds_bytes},
  };
  return fields;
}

unsigned number(llvm::msgpack::MapDocNode &map, llvm::StringRef key) {
  auto entry = map.find(key);
  if (entry == map.end())
    return 0;
  if (entry->second.getKind() == llvm::msgpack::Type::UInt)
    return static_cast<unsigned>(entry->second.getUInt());
  return entry->second.getKind() == llvm::msgpack::Type::Int ? static_cast<unsigned>(entry->second.getInt()) : 0;
}

support::Status addDocument(std::vector<FunctionStatistics> &functions, llvm::msgpack::Document &document) {
  if (!document.getRoot().isMap())
    return InputError{"the code object's metadata is not a map"};
  auto &root = document.getRoot().getMap();
  auto kernels = root.find("amdhsa.kernels");
  if (kernels == root.end())
    return support::Ok{};
  for (llvm::msgpack::DocNode &node : kernels->second.getArray()) {
    auto &kernel = node.getMap();
    std::string kernel_name = kernel[".name"].toString();
    auto found = llvm::find_if(functions, [&](const auto &function) { return function.name == kernel_name; });
    if (found == functions.end())
      return InputError{fmt::format("the metadata names kernel {}, which was not emitted", kernel_name)};
    found->kernel = true;
    found->total_vgprs = number(kernel, ".vgpr_count");
    found->wave_size = number(kernel, ".wavefront_size");
    found->kernarg_bytes = number(kernel, ".kernarg_segment_size");
    found->max_workgroup_size = number(kernel, ".max_flat_workgroup_size");
  }
  return support::Ok{};
}

support::Status addObject(std::vector<FunctionStatistics> &functions, llvm::StringRef output) {
  auto fail = [](llvm::Error error) { return InputError{"code object: " + llvm::toString(std::move(error))}; };
  auto file = llvm::object::ELFFile<llvm::object::ELF64LE>::create(output);
  if (!file)
    return fail(file.takeError());
  auto sections = file->sections();
  if (!sections)
    return fail(sections.takeError());
  for (const auto &section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_NOTE)
      continue;
    llvm::Error error = llvm::Error::success();
    for (const auto &note : file->notes(section, error)) {
      if (note.getName() != "AMDGPU" || note.getType() != llvm::ELF::NT_AMDGPU_METADATA)
        continue;
      llvm::msgpack::Document document;
      llvm::StringRef blob = note.getDescAsStringRef(section.sh_addralign);
      if (!document.readFromBlob(blob, false))
        return InputError{"code object: the metadata note is not MessagePack"};
      if (auto status = addDocument(functions, document); !status)
        return status;
    }
    if (error)
      return fail(std::move(error));
  }
  return support::Ok{};
}

support::Status addAssembly(std::vector<FunctionStatistics> &functions, llvm::StringRef output) {
  auto [before, rest] = output.split("\t.amdgpu_metadata\n");
  if (rest.empty())
    return support::Ok{};
  llvm::msgpack::Document document;
  if (!document.fromYAML(rest.split("\t.end_amdgpu_metadata").first))
    return InputError{"assembly: the metadata block is not YAML"};
  return addDocument(functions, document);
}

} // namespace

void addResourceRemark(std::vector<FunctionStatistics> &functions, const llvm::DiagnosticInfoOptimizationBase &remark) {
  llvm::StringRef key = remark.getRemarkName();
  llvm::StringRef value = remark.getArgs().back().Val;
  if (key == "FunctionName") {
    functions.emplace_back().name = value.str();
    return;
  }
  if (functions.empty())
    return;
  if (key == "DynamicStack") {
    functions.back().dynamic_stack = value.equals_insensitive("true");
    return;
  }
  auto field = remarkFields().find(key);
  if (field != remarkFields().end())
    value.getAsInteger(10, functions.back().*field->second);
}

support::Status addMetadata(std::vector<FunctionStatistics> &functions, llvm::StringRef output, Emit emit) {
  if (emit == Emit::Assembly)
    return addAssembly(functions, output);
  return addObject(functions, output);
}

} // namespace verilocc::codegen
