// The subcommands: each adds itself to the command line and returns an exit code from its callback.
// Exit codes: 0 done; 1 the input is bad or an allocation was rejected; 2 wrong usage; 3 our own fault.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace verilocc::tool {

constexpr int done = 0, bad_input = 1, wrong_usage = 2, own_fault = 3;

/// What the process was called with, for repro folders; and the answer of the subcommand that ran.
struct Session {
  std::string command_line;
  int exit_code = done;
};

void addCompile(CLI::App &app, Session &session);
void addVerify(CLI::App &app, Session &session);
void addCheck(CLI::App &app, Session &session);
void addAnalyze(CLI::App &app, Session &session);
void addBench(CLI::App &app, Session &session);
void addDataset(CLI::App &app, Session &session);
void addEval(CLI::App &app, Session &session);
void addExplain(CLI::App &app, Session &session);
void addReduce(CLI::App &app, Session &session);
void addReplay(CLI::App &app, Session &session);
void addTrain(CLI::App &app, Session &session);

} // namespace verilocc::tool
