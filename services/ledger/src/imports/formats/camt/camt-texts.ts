import { cut, textLengthMax } from '../statement-rows.ts'
import { childrenOf, nodeAt, textAt, type XmlNode } from './xml-tree.ts'

/** What banks write where there is no reference. */
const NO_REFERENCE = /^(?:NOT ?PROVIDED|NON?REF)$/i

/** The transactions that an entry says it is made of. */
export function detailsOf(entry: XmlNode): XmlNode[] {
  return childrenOf(entry, 'NtryDtls').flatMap((one) => childrenOf(one, 'TxDtls'))
}

/** The bank's own reference, which names one entry; blank where it gives none. */
export function servicerReferenceOf(entry: XmlNode): string {
  const details = detailsOf(entry)
  const ofDetails = details.length === 1 ? textAt(details[0], 'Refs', 'AcctSvcrRef') : ''
  return [textAt(entry, 'AcctSvcrRef'), ofDetails].map(stated).find(Boolean) ?? ''
}

/**
 * Whatever reference an entry has. All but the bank's own may repeat: an entry's number begins
 * again with each statement, and a standing order keeps its end-to-end identification.
 */
export function referenceOf(entry: XmlNode): string {
  const [first] = detailsOf(entry)
  const weaker = [textAt(entry, 'NtryRef'), textAt(first, 'Refs', 'EndToEndId')]
  return servicerReferenceOf(entry) || (weaker.map(stated).find(Boolean) ?? '')
}

/**
 * Who paid or was paid. A reversal names the parties of what it reverses, and so the other way
 * round (ISO 20022, ReversalIndicator).
 */
export function otherPartyOf(
  details: XmlNode,
  { isReversal, isOut }: { isReversal: boolean; isOut: boolean },
): string {
  const role = isOut === isReversal ? 'Dbtr' : 'Cdtr'
  const parties = nodeAt(details, 'RltdPties')
  // Version 8 and later have the name one level deeper.
  return textAt(parties, role, 'Nm') || textAt(parties, role, 'Pty', 'Nm')
}

/** Whether an entry takes another one back. */
export function isReversal(entry: XmlNode): boolean {
  return ['true', '1'].includes(textAt(entry, 'RvslInd'))
}

/** What an entry or one of its transactions says it is for, bounded. */
export function sayingOf(node: XmlNode): string {
  const remittance = nodeAt(node, 'RmtInf')
  const texts = childrenOf(remittance, 'Ustrd').map(({ text }) => text.trim())
  const references = childrenOf(remittance, 'Strd').map((one) => textAt(one, 'CdtrRefInf', 'Ref'))
  const written =
    texts.join(' ').trim() ||
    references.join(' ').trim() ||
    textAt(node, 'AddtlTxInf') ||
    textAt(node, 'AddtlNtryInf')
  return cut(written, textLengthMax)
}

function stated(reference: string): string {
  return NO_REFERENCE.test(reference) ? '' : reference
}
