#include "codegen/compile.h"

#include "codegen/protect.h"
#include "codegen/session.h"
#include "codegen/statistics.h"
#include "codegen/tools.h"

#include "llvm/CodeGen/MIRPrinter.h"

#include <mutex>

namespace verilocc::codegen {
namespace {

using support::InputError;

/// Guards LLVM's process-wide options while a list of passes is made from them.
std::mutex option_lock;

/// The failure that `session` recorded, if any. LLVM's diagnostics come first: they explain the rest.
std::optional<Failure> failureOf(const Session &session, const std::string &file, FailureKind kind) {
  if (!session.findings.errors.empty())
    return Failure{
        kind, session.findings.errors.front(), {session.findings.errors.begin() + 1, session.findings.errors.end()}};
  if (session.error)
    return Failure{FailureKind::BadInput, *session.error};
  const auto &broken = session.log.verifier_failures;
  if (broken.empty())
    return std::nullopt;
  Failure failure{FailureKind::MachineVerifier, {"machine verifier, " + broken.front(), file}};
  for (size_t i = 1; i < broken.size(); ++i)
    failure.more.push_back({broken[i], file});
  return failure;
}

/// Runs one step of a session; on death the session is leaked (protect.h).
std::optional<Failure> step(std::unique_ptr<Session> &session, const std::string &file, FailureKind kind,
                            void (*body)(Session &, const Seam *), const Seam *seam = nullptr) {
  auto death = protect([&] { body(*session, seam); });
  if (!death) {
    if (session->log.exception)
      std::rethrow_exception(session->log.exception);
    return failureOf(*session, file, kind);
  }
  std::optional<Failure> failure;
  if (death->kind == Death::Signal)
    failure = Failure{FailureKind::Crash, {"crash while compiling: " + death->message, file}, session->findings.errors};
  else if (!(failure = failureOf(*session, file, kind))) // else abandoned at an error that says more
    failure =
        Failure{kind == FailureKind::BadInput ? kind : FailureKind::FatalError, {"LLVM: " + death->message, file}};
  (void)session.release();
  return failure;
}

support::Result<TargetChoice> checkOptions(const CompileOptions &options) {
  if (options.opt_level > 3)
    return InputError{"-O takes 0 to 3"};
  return chooseTarget(options.mcpu, options.attributes);
}

} // namespace

const char *name(FailureKind kind) {
  switch (kind) {
  case FailureKind::BadInput:
    return "bad input";
  case FailureKind::Unsupported:
    return "not supported by LLVM";
  case FailureKind::FatalError:
    return "fatal error in LLVM";
  case FailureKind::Crash:
    return "crash";
  case FailureKind::MachineVerifier:
    return "machine verifier";
  }
  return "";
}

const char *name(SeamPoint point) {
  switch (point) {
  case SeamPoint::BeforeSgpr:
    return "before-sgpr";
  case SeamPoint::AfterSgpr:
    return "after-sgpr";
  case SeamPoint::BeforeVgpr:
    return "before-vgpr";
  case SeamPoint::AfterVgpr:
    return "after-vgpr";
  case SeamPoint::AfterRewrite:
    return "after-rewrite";
  case SeamPoint::Final:
    return "final";
  }
  return "";
}

CompileResult compile(const Module &module, const CompileOptions &options, const Seams &seams) {
  auto choice = checkOptions(options);
  if (!choice)
    return Failure{FailureKind::BadInput, choice.error()};
  auto session = std::make_unique<Session>(module, options, seams, *choice);
  if (auto failure =
          step(session, module.name, FailureKind::BadInput, [](Session &s, const Seam *) { s.parseModule(); }))
    return *failure;
  if (auto failure =
          step(session, module.name, FailureKind::BadInput, [](Session &s, const Seam *) { s.verifyInput(); }))
    return Failure{FailureKind::BadInput, failure->error, failure->more};
  {
    // Held here and not by the protected thread: that one may die with it.
    std::lock_guard lock(option_lock);
    if (auto failure =
            step(session, module.name, FailureKind::Unsupported, [](Session &s, const Seam *) { s.buildPasses(); }))
      return *failure;
  }
  if (auto failure = step(session, module.name, FailureKind::Unsupported, [](Session &s, const Seam *) { s.run(); }))
    return *failure;

  CompiledModule result;
  result.bytes.assign(session->output.begin(), session->output.end());
  result.mcpu = session->choice.cpu;
  result.functions = std::move(session->findings.functions);
  result.warnings = std::move(session->findings.warnings);
  result.times = session->log.times;
  if (options.emit == Emit::Mir || options.emit == Emit::Nothing)
    return result;
  if (auto status = addMetadata(result.functions, result.bytes, options.emit); !status)
    return Failure{FailureKind::FatalError, status.error()};
  if (options.emit == Emit::Hsaco) {
    session->log.last = PassLog::Clock::now();
    auto linked = linkCodeObject(result.bytes, options.linker);
    if (!linked)
      return Failure{FailureKind::BadInput, linked.error()};
    session->log.finish(&StageTimes::link);
    result.times.link = session->log.times.link;
    result.bytes = std::move(*linked);
  }
  return result;
}

std::optional<Failure> visitMir(const Module &module, const CompileOptions &options, const Seam &visit) {
  if (module.kind != ModuleKind::Mir)
    return Failure{FailureKind::BadInput, {"not MIR", module.name}};
  auto choice = checkOptions(options);
  if (!choice)
    return Failure{FailureKind::BadInput, choice.error()};
  const Seams none;
  auto session = std::make_unique<Session>(module, options, none, *choice);
  if (auto failure =
          step(session, module.name, FailureKind::BadInput, [](Session &s, const Seam *) { s.parseModule(); }))
    return failure;
  if (options.verify != Verify::Off)
    if (auto failure =
            step(session, module.name, FailureKind::BadInput, [](Session &s, const Seam *) { s.verifyInput(); }))
      return failure;
  return step(
      session, module.name, FailureKind::Unsupported, [](Session &s, const Seam *seam) { s.visit(*seam); }, &visit);
}

std::string printMir(const llvm::MachineFunction &function) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::printMIR(stream, function);
  return text;
}

} // namespace verilocc::codegen
