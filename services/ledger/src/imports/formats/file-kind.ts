import { HEAD_LENGTH, hasTable, isZip } from './sheets/sheet-kind.ts'
import { decodeFile } from './text/file-text.ts'

/**
 * Supported file formats. `camt053` stands for all CAMT messages, `mt940` also for MT942, `json`
 * for an export of Coffer, and `zip` for an archive of such files. `csv` also stands for sheets:
 * both need a mapping of their columns.
 */
export const fileKinds = ['ofx', 'camt053', 'mt940', 'qif', 'csv', 'json', 'zip'] as const
export type FileKind = (typeof fileKinds)[number]

const kindsByExtension = new Map<string, FileKind>([
  ['ofx', 'ofx'],
  ['qfx', 'ofx'],
  ['qbo', 'ofx'],
  ['xml', 'camt053'],
  ['qif', 'qif'],
  ['sta', 'mt940'],
  ['940', 'mt940'],
  ['942', 'mt940'],
  ['mt940', 'mt940'],
  ['mt942', 'mt940'],
  ['csv', 'csv'],
])

/** Returns a file's kind by its content, else by its extension, or null (docs/files.md#kinds). */
export function detectKind({ name, head }: { name: string; head: Uint8Array }): FileKind | null {
  const [, extension = ''] = /\.([^.\s]+)\s*$/.exec(name) ?? []
  return kindByContent(head) ?? kindsByExtension.get(extension.toLowerCase()) ?? null
}

function kindByContent(head: Uint8Array): FileKind | null {
  // ZIP first: an uncompressed entry of an archive would match the patterns of its own format.
  if (isZip(head)) return hasTable(head) ? 'csv' : 'zip'
  const text = decodeFile(head.subarray(0, HEAD_LENGTH))
  const ofx = /OFXHEADER|<OFX[\s>]|<(?:BANK|CREDITCARD)MSGSRSV1>|<(?:CC)?STMTRS>/i
  if (ofx.test(text)) return 'ofx'
  if (/:camt\.05[234]\.|<(?:\w+:)?BkToCstmr/.test(text)) return 'camt053'
  if (/(?:^|\{4:|@@)\s*:20:/m.test(text) && /(?:^|@@):(?:25P?|28C?|60[FM]|61):/m.test(text)) {
    return 'mt940'
  }
  if (/^\s*!(?:Type|Account|Option|Clear)\b/im.test(text)) return 'qif'
  if (/^\s*\{\s*"format":\s*1,\s*"exportedAt":/.test(text)) return 'json'
  return hasTable(head) ? 'csv' : null
}
