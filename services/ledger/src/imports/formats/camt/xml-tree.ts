import { say } from '@coffer/kit/reasons/reasons'
import { Pages, type PagesPart } from '../rows/pages.ts'
import type { Unreadable } from '../statement.ts'
import { cut, oneLine, textLengthMax } from '../statement-rows.ts'
import { streamXml, type XmlHandlers } from '../xml-stream.ts'

/** An XML element; `name` has no namespace prefix. Text beside child elements is dropped. */
export type XmlNode = {
  name: string
  text: string
  attributes: Readonly<Record<string, string>>
  /** Line of the file, from 1. */
  line: number
  /** Child elements by name, in document order, without entries; null if there are none. */
  children: Map<string, XmlNode[]> | null
  /** Entries, kept compressed: as objects, the entries of a large file take 100 MiB. */
  entries?: PagesPart<XmlNode>
}

const ENTRY = 'Ntry'
/**
 * Number of entries in a compressed page. Small, because an entry may have a hundred elements, and
 * all entries of a page are in memory at a time.
 */
const entriesPerPage = 50

const NO_ATTRIBUTES = {}

const ELEMENTS_MAX = 1_000_000
/** Maximum number of characters kept of an element's text, far more than banks write. */
const TEXT_LENGTH_MAX = 100_000

/**
 * Returns the root element of an XML text. Returns `Unreadable` for a malformed text, and for one
 * that `streamXml` refuses.
 */
export function readXmlTree(text: string): XmlNode | Unreadable {
  const root = newNode('', {}, 0)
  const stack: XmlNode[] = [root]
  const fault = streamXml(text, handlersInto(stack), { elementsMax: ELEMENTS_MAX })
  const [[element] = []] = root.children?.values() ?? []
  if (fault !== null || element === undefined) {
    return fault ?? { unreadable: say('FILE_NOT_XML') }
  }
  return element
}

/** Returns the element at a path of names, by the first child of each name, or undefined. */
export function nodeAt(node: XmlNode | undefined, ...path: string[]): XmlNode | undefined {
  return path.reduce((parent, name) => parent?.children?.get(name)?.[0], node)
}

/** Returns the text at a path of names, on one line, cut to 2,000 characters, or an empty text. */
export function textAt(node: XmlNode | undefined, ...path: string[]): string {
  return cut(oneLine(nodeAt(node, ...path)?.text ?? ''), textLengthMax)
}

export function childrenOf(node: XmlNode | undefined, name: string): readonly XmlNode[] {
  return node?.children?.get(name) ?? []
}

/** Returns the texts of all elements below an element, grouped by name. */
export function textsBelow({ text, children }: XmlNode): string {
  if (children === null) return text.trim()
  return [...children.values()].flat().map(textsBelow).filter(Boolean).join(' ')
}

function handlersInto(stack: XmlNode[]): XmlHandlers {
  const entries = new Pages<XmlNode>(entriesPerPage)
  return {
    open: (name, attributes, line) => {
      const node = newNode(name, attributes, line)
      if (name !== ENTRY) addChild(stack.at(-1), node)
      stack.push(node)
    },
    text: (text) => {
      const last = stack.at(-1)
      if (last !== undefined && last.children === null && last.text.length < TEXT_LENGTH_MAX) {
        last.text += text
      }
    },
    close: () => {
      const closed = stack.pop()
      if (closed !== undefined && closed.children !== null) {
        closed.text = ''
      }
      const parent = stack.at(-1)
      if (closed?.name === ENTRY && parent !== undefined) {
        parent.children ??= new Map()
        parent.entries ??= entries.part()
        parent.entries.push(closed)
      }
    },
  }
}

function addChild(parent: XmlNode | undefined, node: XmlNode): void {
  if (parent === undefined) return
  parent.children ??= new Map()
  const siblings = parent.children.get(node.name)
  if (siblings === undefined) {
    parent.children.set(node.name, [node])
  } else {
    siblings.push(node)
  }
}

function newNode(
  name: string,
  attributes: Readonly<Record<string, string>>,
  line: number,
): XmlNode {
  const own = Object.keys(attributes).length === 0 ? NO_ATTRIBUTES : attributes
  return { name, text: '', attributes: own, line, children: null }
}
