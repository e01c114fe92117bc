module oracle

go 1.26.0

require (
	github.com/decred/dcrd/crypto/blake256 v1.1.0
	golang.org/x/crypto v0.58.0
)

require golang.org/x/sys v0.49.0 // indirect
