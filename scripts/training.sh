# For scripts that train, to be sourced: which programs, and the settings that a model and its fine-tune share.
tool=${VERILOCC:-build/release/verilocc} trainer=${VERILOCC_TRAIN:-build/release/verilocc-train}

# check_training PROBLEMS: exit 1 with the reason unless there are problems and a trainer.
check_training() {
  [ -d "$1" ] || { echo "$1: no problems; verilocc dataset --kernels build/kernels makes them" >&2; exit 1; }
  [ -x "$trainer" ] || { echo "$trainer: not built; scripts/setup --train" >&2; exit 1; }
}

# Of verilocc dataset, and of verilocc train, for the language of episodes.
episode_labels=(--horizon 4 --tried 6 --windows 5 --share 0.5 --max-vregs 1000)
episode_steps=(--warmup 30 --batch 2048 --context 256 --validate-every 100 --threads 1 --name verilocc-stream)
