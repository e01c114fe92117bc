# Objects whose parts are hashed by other machines, whatever fails (docs/large-objects.md). Each night, job_engines has real ones.
CHECKS="$CHECKS distributed"

distributed() {
  command -v redis-server || install_debian redis-server
  compgen -G '/usr/lib/postgresql/*/bin/postgres' || install_debian postgresql
  install_peers
  node test/distributed/run.mjs "$CI_DIR/tools/bin/b3sum"
  node test/distributed/s3.mjs "$CI_DIR/tools/bin/b3sum"
}
