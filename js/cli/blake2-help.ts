/** What `blake2 --help` prints. */
export const BLAKE2_HELP = `Usage: blake2 [OPTIONS] [INPUTS]...

Arguments:
  [INPUTS]...  Any number of filepaths, or empty for standard input

Options:
  -b                                           Use the BLAKE2b hash function (default)
  -s                                           Use the BLAKE2s hash function
  -p                                           Use the parallel variant, BLAKE2bp or BLAKE2sp
      --length <LENGTH>                        Set the length of the output in bytes
      --key <KEY>                              Set the key parameter with a hex string
      --salt <SALT>                            Set the salt parameter with a hex string
      --personal <PERSONAL>                    Set the personalization parameter with a hex string
      --fanout <FANOUT>                        Set the fanout parameter
      --max-depth <MAX_DEPTH>                  Set the max depth parameter
      --max-leaf-length <MAX_LEAF_LENGTH>      Set the max leaf length parameter
      --node-offset <NODE_OFFSET>              Set the node offset parameter
      --node-depth <NODE_DEPTH>                Set the node depth parameter
      --inner-hash-length <INNER_HASH_LENGTH>  Set the inner hash length parameter
      --last-node                              Set the last node flag
      --mmap                                   Accepted: no file is ever mapped
  -h, --help                                   Print help
  -V, --version                                Print version

This is blakesum of the npm package blake-simd, which stands in for blake2 of the crate blake2_bin.
`;
