export const BAO_USAGE = "Usage: blakesum bao hash | encode | outboard | decode | slice | decode-slice ...";

export const BAO_HELP = `Usage: blakesum bao hash [INPUT]...
       blakesum bao encode INPUT (OUTPUT | --outboard=FILE) [--group=BYTES]
       blakesum bao outboard INPUT [OUTPUT] [--group=BYTES]
       blakesum bao decode HASH [INPUT [OUTPUT]] [--outboard=FILE] [--start=BYTE] [--count=BYTES] [--group=BYTES]
       blakesum bao slice START COUNT [INPUT [OUTPUT]] [--outboard=FILE] [--group=BYTES]
       blakesum bao decode-slice HASH START COUNT [INPUT [OUTPUT]] [--group=BYTES]
Make and decode verified streams: whatever is decoded has been checked against the BLAKE3 hash before it is written.
With no INPUT or OUTPUT, or if it is -, use standard input or output.

  hash          print BLAKE3 hashes
  encode        write content with its tree's nodes in between, or, with --outboard, the nodes alone
  outboard      write the nodes alone
  decode        write the content of an encoding, or of INPUT with the nodes of --outboard; or a range of it
  slice         write the part of an encoding that a range of content needs
  decode-slice  write the content of a slice

      --group BYTES        bytes in a group, a power of 2 from 1024 to 1048576 (default 1024, as the bao program has)

The files are those of the bao program. If one is wrong, all output up to the error is correct.

Exit status: 0 all went well; 1 a file could not be read or written, or is not what the hash stands for;
2 the command line was wrong.
`;
