// verilocc train: starts verilocc-train, which lies beside this program where libtorch was found when it was built.
#include "commands.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <unistd.h>
#include <vector>

namespace verilocc::tool {

void addTrain(CLI::App &app, Session &session) {
  CLI::App *command = app.add_subcommand("train", "Train the model on what dataset made (needs libtorch)");
  command->set_help_flag(); // it answers for itself
  command->prefix_command();
  command->callback([command, &session] {
    std::error_code code;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", code);
    const std::string program = (self.parent_path() / "verilocc-train").string();
    std::vector<std::string> arguments = command->remaining();
    std::vector<char *> pointers = {const_cast<char *>("verilocc train")};
    for (std::string &argument : arguments)
      pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    // Threads that wait by spinning take the time of the one they wait for, on a machine that has other work as well.
    setenv("OMP_WAIT_POLICY", "passive", 0);
    std::fflush(nullptr);
    execv(program.c_str(), pointers.data());
    if (errno == ENOENT)
      std::fprintf(stderr,
                   "verilocc: error: no training in this build: %s is missing. Install libtorch "
                   "(scripts/setup --train) and build again.\n",
                   program.c_str());
    else
      std::fprintf(stderr, "verilocc: error: %s: %s\n", program.c_str(), std::strerror(errno));
    session.exit_code = bad_input;
  });
}

} // namespace verilocc::tool
