# The command beside the programs whose lines it prints and whose lists it reads.
CHECKS="$CHECKS b2sum_interop peers_interop"

b2sum_interop() {
  sh test/interop/b2sum.sh
}

# The same standard output and exit status as b2sum, b3sum and blake2 in every call of test/interop/peer-cases.mjs.
peers_interop() {
  install_peers
  node test/interop/peers.mjs "$CI_DIR/tools/bin"
}
