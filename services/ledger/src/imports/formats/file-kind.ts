import { decodeFile } from './file-text.ts'

/** The formats that the server reads; `csv` needs a mapping of its columns. */
export type FileKind = 'ofx' | 'camt053' | 'qif' | 'csv'

/** Number of bytes that detection reads. */
const HEAD_LENGTH = 4096

const kindsByExtension = new Map<string, FileKind>([
  ['ofx', 'ofx'],
  ['qfx', 'ofx'],
  ['qbo', 'ofx'],
  ['xml', 'camt053'],
  ['qif', 'qif'],
  ['csv', 'csv'],
])

/**
 * Content sniffing: returns the kind of an uploaded file, or null for an unknown one
 * (docs/files.md#kinds). The content decides, then the extension. Media types are ignored,
 * because clients send arbitrary ones.
 */
export function detectKind({ name, head }: { name: string; head: Uint8Array }): FileKind | null {
  const [, extension = ''] = /\.([^.\s]+)\s*$/.exec(name) ?? []
  return kindByContent(head) ?? kindsByExtension.get(extension.toLowerCase()) ?? null
}

function kindByContent(head: Uint8Array): FileKind | null {
  const text = decodeFile(head.subarray(0, HEAD_LENGTH))
  if (/OFXHEADER|<OFX[\s>]/i.test(text)) return 'ofx'
  if (/:camt\.05\d\.|<(?:\w+:)?BkToCstmr/.test(text)) return 'camt053'
  return /^\s*!(?:Type|Account|Option|Clear)\b/im.test(text) ? 'qif' : null
}
