import { decodeFile } from './file-text.ts'

/** The kinds of files that are known; `csv` needs a mapping to say what it means. */
export type FileKind = 'ofx' | 'camt053' | 'qif' | 'csv'

/** Bytes that are enough to know a kind by. */
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
 * The kind of an uploaded file, or null where it is none that is known. The content decides, then
 * the extension; clients send media types of their own making (docs/files.md, Kinds).
 */
export function fileKindOf({ name, head }: { name: string; head: Uint8Array }): FileKind | null {
  const [, extension = ''] = /\.([^.\s]+)\s*$/.exec(name) ?? []
  return kindByContent(head) ?? kindsByExtension.get(extension.toLowerCase()) ?? null
}

function kindByContent(head: Uint8Array): FileKind | null {
  const text = decodeFile(head.subarray(0, HEAD_LENGTH))
  if (/OFXHEADER|<OFX[\s>]/i.test(text)) {
    return 'ofx'
  }
  if (/:camt\.05\d\.|<(?:\w+:)?BkToCstmr/.test(text)) {
    return 'camt053'
  }
  return /^\s*!(?:Type|Account|Option|Clear)\b/im.test(text) ? 'qif' : null
}
