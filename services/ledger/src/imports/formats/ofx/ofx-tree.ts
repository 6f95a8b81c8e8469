import { say } from '@coffer/kit/reasons/reasons'
import type { Unreadable } from '../statement.ts'

/**
 * An OFX element: a field with text, or a group with children. `name` is in upper case, `at` the
 * index of the element in the text of the file. A transaction has an `end` index instead of its
 * children: `transactionsOf` parses them again, since 30,000 parsed transactions take 50 MiB.
 */
export type OfxNode = {
  name: string
  text: string
  at: number
  end?: number
  children: readonly OfxNode[]
}
type OpenNode = OfxNode & { children: OfxNode[] }

const DEPTH_MAX = 100
const NODES_MAX = 1_000_000
// The lookahead prevents backtracking into shorter names, which would take quadratic time.
const TAG = /<(\/?)([A-Za-z][\w.:-]*)(?![\w.:-])[^<>]*>/y

/** The start of an OFX element. */
const START = /<OFX[\s>]/gi

/** Elements at the top of files that lack the OFX element. */
const STATEMENT = /^(?:SIGNONMSGSRSV1|BANKMSGSRSV1|CREDITCARDMSGSRSV1|(?:CC)?STMT(?:TRN)?RS)$/

/** Names of groups, which fields without end tags cannot contain. */
const GROUP = /^(?:STMTTRN|BANKTRANLIST|LEDGERBAL|AVAILBAL|(?:CC)?STMT(?:TRN)?RS|\w+MSGSRSV1)$/

const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
}

/** Fields of a transaction. They contain no elements, so the next tag ends even an empty field. */
const FIELD =
  /^(?:TRNTYPE|TRNAMT|DT\w+|\w*FITID|CORRECTACTION|SRVRTID|CHECKNUM|REFNUM|SIC|NAME|EXTDNAME|MEMO)$/

type Reader = {
  text: string
  at: number
  stack: OpenNode[]
  nodes: number
  complete: boolean
  /** Whether transactions keep their fields as children. */
  keepsFields: boolean
}

const TRANSACTION = 'STMTTRN'
const NO_CHILDREN: readonly OfxNode[] = []

/**
 * Parses OFX 1 (SGML) or OFX 2 (XML). Returns the OFX element, with the children of all OFX
 * elements if the file has several, or why the text is unreadable.
 */
export function readOfxTree(text: string): OfxNode | Unreadable {
  const root = newNode('', 0)
  const reader = startReader(text, { at: 0, root, keepsFields: false })
  while (reader.at < text.length) {
    if (reader.complete && !skipToNext(reader)) break
    const fault = readNext(reader)
    if (fault !== null) return { unreadable: fault }
  }
  const all = root.children.filter((node) => node.name === 'OFX')
  const ofx = all.length === 0 ? unwrapped(root) : mergeAll(all)
  if (ofx === undefined) return { unreadable: say('FILE_NOT_OFX') }
  const isWhole = ofx === root ? reader.stack.length === 1 : reader.complete
  return isWhole ? ofx : { unreadable: say('FILE_CUT') }
}

/** Skips the header of another document behind a complete one; returns false without one. */
function skipToNext(reader: Reader): boolean {
  START.lastIndex = reader.at
  const next = START.exec(reader.text)
  if (next === null) return false
  Object.assign(reader, { at: next.index, complete: false })
  return true
}

function mergeAll(all: readonly OfxNode[]): OfxNode | undefined {
  const [first] = all
  return first && { ...first, children: all.flatMap(({ children }) => children) }
}

function startReader(
  text: string,
  { root, ...of }: { at: number; root: OpenNode; keepsFields: boolean },
): Reader {
  return { text, ...of, stack: [root], nodes: 0, complete: false }
}

/** Returns the root if it holds a statement: some exports leave out the OFX element around it. */
function unwrapped(root: OfxNode): OfxNode | undefined {
  return root.children.some(({ name }) => STATEMENT.test(name)) ? root : undefined
}

export function childOf(node: OfxNode | undefined, name: string): OfxNode | undefined {
  return node?.children.find((child) => child.name === name)
}

/** Returns the text of the first child of this name, decoded, on one line, or an empty text. */
export function textOf(node: OfxNode | undefined, name: string): string {
  const written = childOf(node, name)?.text ?? ''
  return decodeEntities(written)
    .replace(/\p{Cc}+/gu, ' ')
    .toWellFormed()
    .trim()
}

/** Returns `node` and its descendants that have this name, in the order of the file. */
export function descendantsOf(node: OfxNode, name: string): OfxNode[] {
  const found = node.children.flatMap((child) => descendantsOf(child, name))
  return node.name === name ? [node, ...found] : found
}

/** Yields the transactions of an element with their fields, in the order of the file. */
export function* transactionsOf(node: OfxNode, text: string): Generator<OfxNode> {
  for (const { at, end, ...one } of descendantsOf(node, TRANSACTION)) {
    const root = newNode('', 0)
    const reader = startReader(text, { at, root, keepsFields: true })
    while (end !== undefined && reader.at < end) readNext(reader)
    yield { at, ...one, ...root.children[0] }
  }
}

/** Serializes an element as OFX 1, without end tags. */
export function writtenOf({ name, text, children }: OfxNode): string {
  return `<${name}>${children.length === 0 ? text.trim() : children.map(writtenOf).join('')}`
}

/** Counts `node` and its descendants that have this name. */
export function countOf(node: OfxNode, name: string): number {
  const below = node.children.reduce((sum, child) => sum + countOf(child, name), 0)
  return node.name === name ? below + 1 : below
}

/** Reads one tag, or the text before the next tag. Returns why the file is unreadable, or null. */
function readNext(reader: Reader): string | null {
  const { text, at } = reader
  if (text[at] !== '<') {
    const next = text.indexOf('<', at)
    addText(reader, next === -1 ? text.length : next)
    return null
  }
  if (text.startsWith('<!--', at)) {
    skipTo(reader, '-->')
    return null
  }
  if (text.startsWith('<![CDATA[', at)) {
    readCharacterData(reader)
    return null
  }
  if (text.startsWith('<?', at)) {
    skipTo(reader, '>')
    return null
  }
  if (/^<!DOCTYPE\b/i.test(text.slice(at, at + 10))) {
    return say('FILE_DOCTYPE')
  }
  TAG.lastIndex = at
  const tag = TAG.exec(text)
  if (tag === null) {
    addText(reader, at + 1)
    return null
  }
  reader.at = TAG.lastIndex
  const [whole, slash, name = ''] = tag
  if (slash === '/') {
    closeElement(reader, name.toUpperCase())
    return null
  }
  return openElement(reader, { name: name.toUpperCase(), at, isEmpty: whole.endsWith('/>') })
}

function openElement(
  reader: Reader,
  tag: { name: string; at: number; isEmpty: boolean },
): string | null {
  const { stack } = reader
  const last = stack.at(-1)
  const isEnded = last?.children.length === 0 && last.text.trim() !== ''
  if (last !== undefined && (isEnded || FIELD.test(last.name))) stack.pop()
  // OFX groups never nest in a group of the same name. If one is still open, its end tag had a
  // wrong name, so it ends here.
  const open = GROUP.test(tag.name) ? stack.findLastIndex(({ name }) => name === tag.name) : -1
  if (open > 0) endTransactions(reader, stack.splice(open), tag.at)
  if (stack.length > DEPTH_MAX || reader.nodes === NODES_MAX) {
    return say('FILE_ELEMENTS')
  }
  reader.nodes += 1
  const node = newNode(tag.name, tag.at)
  stack.at(-1)?.children.push(node)
  if (!tag.isEmpty) {
    stack.push(node)
  }
  return null
}

/**
 * Closes the innermost open element of this name. Elements that are still open inside it are fields
 * without end tags, so their children become children of the closed element.
 */
function closeElement(reader: Reader, name: string): void {
  const { stack } = reader
  const index = stack.findLastIndex((node) => node.name === name)
  const group = stack[index]
  if (group === undefined) return
  // An end tag that would close several groups is misnamed: it closes only the innermost group.
  const groups = stack.slice(index + 1).filter((node) => GROUP.test(node.name))
  if (groups.length > 1 && name !== 'OFX') {
    const ended = stack.splice(stack.lastIndexOf(groups.at(-1) ?? group))
    endTransactions(reader, ended, reader.at)
    return
  }
  const inside = stack.splice(index + 1)
  for (const field of inside) {
    if (GROUP.test(field.name)) continue
    for (const child of field.children) {
      group.children.push(child)
    }
    field.children = []
  }
  stack.pop()
  endTransactions(reader, [group, ...inside], reader.at)
  reader.complete = name === 'OFX' && stack.length === 1
}

/** Replaces the children of transactions among the `ended` elements by the index `end`. */
function endTransactions(reader: Reader, ended: OfxNode[], end: number): void {
  if (reader.keepsFields) return
  for (const node of ended) {
    // A transaction that contains a group lacks its end tag, and the group belongs after it. Its
    // children stay in the tree, because dropping them would lose the group.
    const isWhole = node.name === TRANSACTION && !node.children.some(({ name }) => GROUP.test(name))
    if (isWhole) Object.assign(node, { name: TRANSACTION, text: '', end, children: NO_CHILDREN })
  }
}

/** Adds the text before the index `end` to the open field; text between elements is dropped. */
function addText(reader: Reader, end: number): void {
  const last = reader.stack.at(-1)
  if (last !== undefined && reader.stack.length > 1 && last.children.length === 0) {
    last.text += reader.text.slice(reader.at, end)
  }
  reader.at = end
}

function readCharacterData(reader: Reader): void {
  const start = reader.at + '<![CDATA['.length
  skipTo(reader, ']]>')
  const data = reader.text.slice(start, reader.at - ']]>'.length)
  const last = reader.stack.at(-1)
  if (last !== undefined) {
    last.text += data.replaceAll('&', '&amp;')
  }
}

function skipTo(reader: Reader, end: string): void {
  const found = reader.text.indexOf(end, reader.at)
  reader.at = found === -1 ? reader.text.length : found + end.length
}

function newNode(name: string, at: number): OpenNode {
  return { name, text: '', at, children: [] }
}

/** Decodes character references and predefined entities once; any other `&` is text. */
function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(ENTITY, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    return code > 0x10ffff ? whole : String.fromCodePoint(code)
  })
}
