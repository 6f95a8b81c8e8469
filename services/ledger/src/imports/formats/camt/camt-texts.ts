import { cut, textLengthMax } from '../statement-rows.ts'
import { childrenOf, nodeAt, textAt, type XmlNode } from './xml-tree.ts'

/** Placeholders that banks write instead of a reference. */
const NO_REFERENCE = /^(?:NOT ?PROVIDED|NON?REF)$/i

/** Returns the transactions of an entry; banks book several as one sum. */
export function detailsOf(entry: XmlNode): XmlNode[] {
  return childrenOf(entry, 'NtryDtls').flatMap((one) => childrenOf(one, 'TxDtls'))
}

/** Returns the bank's own reference, which is unique per entry; blank where there is none. */
export function servicerReferenceOf(entry: XmlNode): string {
  const details = detailsOf(entry)
  const ofDetails = details.length === 1 ? textAt(details[0], 'Refs', 'AcctSvcrRef') : ''
  return [textAt(entry, 'AcctSvcrRef'), ofDetails].map(stated).find(Boolean) ?? ''
}

/**
 * Returns any reference of an entry. All but the bank's own may repeat: the number of an entry
 * restarts with each statement, and a standing order keeps its end-to-end identification.
 */
export function referenceOf(entry: XmlNode): string {
  const [first] = detailsOf(entry)
  const weaker = [textAt(entry, 'NtryRef'), textAt(first, 'Refs', 'EndToEndId')]
  return servicerReferenceOf(entry) || (weaker.map(stated).find(Boolean) ?? '')
}

/**
 * Returns the name of the other party. A reversal names the parties of the entry that it
 * reverses, so their roles are swapped (ISO 20022, ReversalIndicator).
 */
export function otherPartyOf(
  details: XmlNode,
  { isReversal, isOut }: { isReversal: boolean; isOut: boolean },
): string {
  const role = isOut === isReversal ? 'Dbtr' : 'Cdtr'
  const parties = nodeAt(details, 'RltdPties')
  // Versions 8 and later nest the name one level deeper.
  return textAt(parties, role, 'Nm') || textAt(parties, role, 'Pty', 'Nm')
}

/** Returns whether an entry reverses another one. */
export function isReversal(entry: XmlNode): boolean {
  return ['true', '1'].includes(textAt(entry, 'RvslInd'))
}

/** Returns the remittance text of an entry or a transaction, bounded. */
export function remittanceOf(node: XmlNode): string {
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
