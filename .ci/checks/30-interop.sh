# The command beside the programs that it stands in for.
CHECKS="$CHECKS b2sum_interop peers_interop command_speed"

b2sum_interop() {
  sh test/interop/b2sum.sh
}

install_peers() {
  command -v cargo || install_debian cargo
  cargo install --quiet --locked --root build/ci/tools b3sum@1.8.6
  cargo install --quiet --locked --root build/ci/tools blake2_bin@1.0.5
}

# The same standard output and exit code as b2sum, b3sum and blake2 in every invocation of the tables.
peers_interop() {
  install_peers
  node test/interop/peers.mjs build/ci/tools/bin
}

# How long the command takes beside them; no more than the limits in the script.
command_speed() {
  install_peers
  node bench/command.mjs build/ci/tools/bin
}
