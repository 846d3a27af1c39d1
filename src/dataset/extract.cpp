#include "dataset/extract.h"

#include "mir/homes.h"
#include "mir/reader.h"
#include "tokens/limits.h"

#include <map>
#include <optional>

namespace verilocc::dataset {

using assignment::Case;
using codegen::Failure;

std::variant<std::vector<Case>, Failure> extract(const codegen::Module &module,
                                                 const codegen::CompileOptions &options) {
  std::map<std::string, Case> found;
  std::optional<support::InputError> error;
  codegen::Seams seams;
  seams[codegen::SeamPoint::AfterVgpr] = [&](codegen::SeamContext &context) {
    if (!context.virt_reg_map)
      return; // an allocator that rewrites as it goes
    mir::ReadOptions read_options;
    read_options.frequencies = context.frequencies;
    read_options.loops = context.loops;
    auto reading = mir::readFunction(context.function, read_options);
    if (!reading) {
      if (!error)
        error = reading.error();
      return;
    }
    Case entry;
    const assignment::Homes homes = mir::readHomes(reading->source, *context.virt_reg_map);
    entry.problem = std::move(reading->problem);
    tokens::setLimits(entry.problem.env, tokens::occupancyLimits(entry.problem, homes));
    entry.assignment = assignment::fromHomes(entry.problem, homes);
    found[context.function.getName().str()] = std::move(entry);
  };
  codegen::CompileOptions compile_options = options;
  compile_options.emit = codegen::Emit::Nothing;
  auto compiled = codegen::compile(module, compile_options, seams);
  if (!compiled)
    return compiled.failure();
  if (error)
    return Failure{codegen::FailureKind::Unsupported, *error};
  std::vector<Case> cases;
  for (const std::string &function : module.functions)
    if (auto it = found.find(function); it != found.end())
      cases.push_back(std::move(it->second));
  return cases;
}

} // namespace verilocc::dataset
