/** Requests and answers in a few words: what is not zero or empty, keys and values as they are. */

/** Longer texts are cut. */
const MAX_LENGTH = 240;

export function requestText(request: object): string {
  return shortened(fieldsText(request));
}

/** An answer: its header is told by the revision alone. */
export function responseText(response: object): string {
  const { header, ...rest } = response as { header?: { revision?: number } };
  const revision = header?.revision === undefined ? '' : `at revision ${header.revision} `;
  return shortened(`${revision}${fieldsText(rest)}`.trimEnd());
}

function fieldsText(fields: object): string {
  return Object.entries(fields)
    .filter(([, value]) => !isNothing(value))
    .map(([name, value]) => `${name} ${valueText(value)}`)
    .join(', ');
}

function valueText(value: unknown): string {
  if (typeof value === 'bigint') return value.toString(16);
  if (typeof value === 'string') return printable(value);
  if (Array.isArray(value)) return `[${value.slice(0, 20).map(valueText).join(', ')}]`;
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (typeof value === 'object' && value !== null) return `{${fieldsText(value)}}`;
  return String(value);
}

function isNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || value === null || value === '' || !value;
}

function printable(text: string): string {
  const plain = text.replace(/[^\x20-\x7e]/g, (char) => {
    return `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return plain.length > 40 ? `${plain.slice(0, 40)}…` : plain;
}

function shortened(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
