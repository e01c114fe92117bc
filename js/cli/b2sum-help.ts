/** What `b2sum --help` prints. */
export const B2SUM_HELP = `Usage: b2sum [OPTION]... [FILE]...
Print or check BLAKE2b (512-bit) checksums.

With no FILE, or when FILE is -, read standard input.

  -b, --binary         read in binary mode
  -c, --check          read checksums from the FILEs and check them
  -l, --length=BITS    digest length in bits; a multiple of 8 up to 512
      --tag            create a BSD-style checksum
  -t, --text           read in text mode (default)
  -z, --zero           end each output line with NUL, not newline,
                         and disable file name escaping

The following five options are useful only when verifying checksums:
      --ignore-missing  do not fail or report status for missing files
      --quiet          do not print OK for each successfully verified file
      --status         do not output anything, status code shows success
      --strict         exit non-zero for improperly formatted checksum lines
  -w, --warn           warn about improperly formatted checksum lines

      --help           display this help and exit
      --version        output version information and exit

This is blakesum of the npm package blake-simd, which stands in for b2sum of GNU coreutils.
`;
