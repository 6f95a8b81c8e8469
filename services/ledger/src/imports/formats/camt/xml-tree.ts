import { SaxesParser } from 'saxes'
import type { Unreadable } from '../statement.ts'
import { cut, oneLine, textLengthMax } from '../statement-rows.ts'

/** An XML element; `name` has no namespace prefix. Text beside child elements is dropped. */
export type XmlNode = {
  name: string
  text: string
  attributes: Record<string, string>
  /** Child elements by name, in document order; null if there are none. */
  children: Map<string, XmlNode[]> | null
}

const DEPTH_MAX = 100
const NODES_MAX = 1_000_000
/** Ends the parser at the first error: after it, the parser would report each further character. */
const malformed = new Error('The file is not well-formed XML')
/** Characters per write to the XML parser: reading stops after the write that finds a fault. */
const PIECE_LENGTH = 65_536
/** Maximum number of characters kept of an element's text, far more than banks write. */
const TEXT_LENGTH_MAX = 100_000

type Reader = { stack: XmlNode[]; nodes: number; fault: string | null }

/**
 * Returns the root element, or why the text is unreadable. A DOCTYPE is refused: its entities could
 * expand without bound.
 */
export function readXmlTree(text: string): XmlNode | Unreadable {
  const root = newNode('', {})
  const reader: Reader = { stack: [root], nodes: 0, fault: null }
  const parser = parserInto(reader)
  const content = text.trimStart()
  try {
    for (let at = 0; at < content.length && reader.fault === null; at += PIECE_LENGTH) {
      parser.write(content.slice(at, at + PIECE_LENGTH))
    }
    if (reader.fault === null) {
      parser.close()
    }
  } catch (error) {
    if (error !== malformed) throw error
    reader.fault ??= malformed.message
  }
  const [[element] = []] = root.children?.values() ?? []
  if (reader.fault !== null || element === undefined) {
    return { unreadable: reader.fault ?? malformed.message }
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

function parserInto(reader: Reader): SaxesParser {
  const { stack } = reader
  const parser = new SaxesParser()
  parser.on('error', () => {
    throw malformed
  })
  parser.on('doctype', () => {
    reader.fault ??= 'The file declares a document type, which statements do not have'
  })
  parser.on('opentag', ({ name, attributes }) => {
    reader.nodes += 1
    if (stack.length > DEPTH_MAX || reader.nodes > NODES_MAX) {
      reader.fault ??= 'The file has more elements than a statement needs'
    }
    if (reader.fault === null) {
      const node = newNode(localName(name), attributes)
      addChild(stack.at(-1), node)
      stack.push(node)
    }
  })
  const addText = (text: string) => {
    const last = stack.at(-1)
    if (last !== undefined && last.children === null && last.text.length < TEXT_LENGTH_MAX) {
      last.text += text
    }
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => {
    if (reader.fault === null) {
      const closed = stack.pop()
      if (closed !== undefined && closed.children !== null) {
        closed.text = ''
      }
    }
  })
  return parser
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

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function newNode(name: string, attributes: Record<string, string>): XmlNode {
  return { name, text: '', attributes, children: null }
}
