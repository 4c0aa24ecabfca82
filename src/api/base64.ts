/**
 * How many bytes the text encodes in base64 (RFC 4648, section 4); undefined when it is not base64, or has unused bits that are not
 * zero.
 */
export function countBase64Bytes(text: string): number | undefined {
  // Decoding is faster than a regular expression over megabytes. It takes the digits of base64url too, and leaves out everything
  // else; the last digits, written again, say whether their unused bits are zero.
  if (text.includes('-') || text.includes('_')) return undefined;
  const bytes = Buffer.from(text, 'base64');
  const isWhole = Math.ceil(bytes.length / 3) * 4 === text.length;
  return isWhole && bytes.subarray(bytes.length - (bytes.length % 3 || 3)).toString('base64') === text.slice(-4)
    ? bytes.length
    : undefined;
}
