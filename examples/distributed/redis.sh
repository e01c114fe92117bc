#!/bin/sh
# Runs Redis for the example on the loopback address, on a free port if none is given:  ./redis.sh FOLDER [PORT]
# It prints the URL for STORE. Jobs survive its end by any signal (appendonly); a power failure may undo the last second
# (everysec), whose parts are then hashed again. When memory is short, it refuses new jobs instead of evicting old ones
# (noeviction).
set -eu
mkdir -p "$1"
free='const s = require("net").createServer().listen(0, "127.0.0.1", () => s.close(console.log(s.address().port)))'
port=${2:-$(node -e "$free")}
echo "STORE=redis://127.0.0.1:$port"
exec redis-server --bind 127.0.0.1 --port "$port" --dir "$1" --save "" \
  --appendonly yes --appendfsync everysec --maxmemory-policy noeviction
