// verilocc: register allocation for AMD GPU kernels, proposed, checked, and finished by LLVM.
#include "commands.h"

#include <algorithm>

int main(int argc, char **argv) {
  using namespace verilocc::tool;
  Session session;
  for (int i = 0; i < argc; ++i)
    session.command_line += (i ? " " : "") + std::string(argv[i]);

  CLI::App app{"Register allocation for AMD GPU kernels, every answer proved before it is used.", "verilocc"};
  app.set_version_flag("--version", VERILOCC_VERSION);
  app.require_subcommand(1);
  app.footer("Exit codes: 0 done; 1 bad input or a rejected allocation; 2 wrong usage; 3 a fault of verilocc's own.");
  addCompile(app, session);
  addVerify(app, session);
  addCheck(app, session);
  addAnalyze(app, session);
  addBench(app, session);
  addDataset(app, session);
  addEval(app, session);
  addExplain(app, session);
  addReduce(app, session);
  addReplay(app, session);
  addTrain(app, session);
  // llc and clang write -mcpu=X and -mcpu X, which CLI11 would take for the short option -m.
  std::vector<std::string> arguments(argv + 1, argv + argc);
  for (std::string &argument : arguments)
    if (argument == "-mcpu" || argument.starts_with("-mcpu="))
      argument.insert(0, "-");
  std::reverse(arguments.begin(), arguments.end()); // as CLI11 takes them
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError &error) {
    return app.exit(error) ? wrong_usage : done;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "verilocc: internal error: %s\n  while running: %s\n", error.what(),
                 session.command_line.c_str());
    return own_fault;
  }
  return session.exit_code;
}
