/** The text of a status on the wire: UTF-8, with all but printable ASCII as %XX. */

/** What may stand as it is: printable ASCII without '%'. */
const PLAIN = /^[\x20-\x24\x26-\x7e]*$/;

export function encodeStatusText(text: string): string {
  if (PLAIN.test(text)) return text;
  let encoded = '';
  for (const byte of Buffer.from(text)) {
    const character = String.fromCharCode(byte);
    encoded += PLAIN.test(character)
      ? character
      : '%' + byte.toString(16).toUpperCase().padStart(2, '0');
  }
  return encoded;
}

/** A '%' that no two hexadecimal digits follow stands for itself. */
export function decodeStatusText(encoded: string): string {
  if (!encoded.includes('%')) return encoded;
  const bytes = encoded.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString();
}
