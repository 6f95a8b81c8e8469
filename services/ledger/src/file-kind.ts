import { decodeFile } from './file-text.ts'

/** The kinds of files that are known; `csv` needs a mapping to say what it means. */
export type FileKind = 'ofx' | 'camt053' | 'qif' | 'csv'

/** Bytes that are enough to know a kind by. */
const HEAD_LENGTH = 4096
const UNNAMED_TYPE = 'application/octet-stream'

const kindsByType = new Map<string, FileKind>([
  ['application/vnd.intu.qfx', 'ofx'],
  ['application/x-ofx', 'ofx'],
  ['application/vnd.camt-053', 'camt053'],
  ['application/xml', 'camt053'],
  ['text/xml', 'camt053'],
  ['application/qif', 'qif'],
  ['application/x-qif', 'qif'],
  ['text/csv', 'csv'],
])

const kindsByExtension = new Map<string, FileKind>([
  ['ofx', 'ofx'],
  ['qfx', 'ofx'],
  ['qbo', 'ofx'],
  ['xml', 'camt053'],
  ['qif', 'qif'],
  ['csv', 'csv'],
])

/**
 * The kind of an uploaded file, or null where it is none that is known. The content type says it,
 * or the extension where the type says nothing (`spec/ledger.md` 6.1). Between the kinds that need
 * no mapping the content decides where it is clear: clients call them all by one type.
 */
export function fileKindOf(file: {
  name: string
  contentType: string
  head: Uint8Array
}): FileKind | null {
  const [, extension = ''] = /\.([^.]+)$/.exec(file.name) ?? []
  const type = file.contentType.toLowerCase()
  const said =
    type === UNNAMED_TYPE ? kindsByExtension.get(extension.toLowerCase()) : kindsByType.get(type)
  if (said === undefined || said === 'csv') {
    return said ?? null
  }
  return kindByContent(file.head) ?? said
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
