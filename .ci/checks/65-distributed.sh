# Objects whose parts are hashed by job engines, whatever fails (docs/large-objects.md).
CHECKS="$CHECKS distributed"

distributed() {
  command -v redis-server || install_debian redis-server
  compgen -G '/usr/lib/postgresql/*/bin/postgres' || install_debian postgresql
  command -v parallel || install_debian parallel
  command -v pip3 || install_debian python3-pip
  install_peers
  node test/distributed/run.mjs "$CI_DIR/tools/bin/b3sum"
  node test/distributed/s3.mjs "$CI_DIR/tools/bin/b3sum"
  pip3 install --quiet --upgrade --target "$CI_DIR/python" --requirement examples/distributed/requirements.txt
  PYTHONPATH=$CI_DIR/python sh test/distributed/engines.sh "$CI_DIR/tools/bin/b3sum"
}
