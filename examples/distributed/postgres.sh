#!/bin/sh
# Runs PostgreSQL for the example on the loopback address, on a free port if none is given:  ./postgres.sh FOLDER [PORT]
# It prints the URL for STORE. PostgreSQL refuses to run as root, so that root needs Debian's user postgres.
set -eu
PATH=$PATH:$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
free='const s = require("net").createServer().listen(0, "127.0.0.1", () => s.close(console.log(s.address().port)))'
port=${2:-$(node -e "$free")}
mkdir -p "$1"
[ "$(id -u)" != 0 ] || { chown postgres "$1" && as="setpriv --reuid postgres --regid postgres --clear-groups"; }
[ -e "$1/PG_VERSION" ] || ${as-} initdb --pgdata "$1" --username blake3 --auth trust > /dev/null
echo "STORE=postgres://blake3@127.0.0.1:$port/postgres"
exec ${as-} postgres -D "$1" -h 127.0.0.1 -p "$port" -k ""
