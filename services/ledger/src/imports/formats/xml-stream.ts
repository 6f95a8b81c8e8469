import { say } from '@coffer/kit/reasons/reasons'
import { SaxesParser } from 'saxes'
import { lineCounter } from './row-place.ts'
import type { Unreadable } from './statement.ts'

/**
 * Handlers of a streaming XML parser (SAX); names have no namespace prefix. `line` is the line of
 * the file on which the start tag ends, from 1.
 */
export type XmlHandlers = {
  open: (name: string, attributes: Readonly<Record<string, string>>, line: number) => void
  text: (text: string) => void
  close: (name: string) => void
  /** Returns a fault that stops the parser, else null. */
  fault?: () => Unreadable | null
}

const DEPTH_MAX = 100
/** Thrown at the first error: else the parser would report an error for each further character. */
const malformed = new Error(say('FILE_NOT_XML'))
/**
 * Characters per write to the parser. A fault is noticed after a write, so it ends parsing soon.
 */
const PIECE_LENGTH = 65_536

/**
 * Parses an XML text, and calls the handlers. Returns `Unreadable` or null. Refuses more than 100
 * levels or `elementsMax` elements, and every DOCTYPE: its entities could expand without bound.
 */
export function streamXml(
  text: string,
  handlers: XmlHandlers,
  { elementsMax }: { elementsMax: number },
): Unreadable | null {
  const read = { elements: 0, depth: 0, fault: null as string | null }
  const parser = new SaxesParser()
  const content = text.trimStart()
  const before = lineCounter(text)(text.length - content.length) - 1
  parser.on('error', () => {
    throw malformed
  })
  parser.on('doctype', () => {
    read.fault ??= say('FILE_DOCTYPE')
  })
  parser.on('opentag', ({ name, attributes }) => {
    read.elements += 1
    read.depth += 1
    if (read.depth > DEPTH_MAX || read.elements > elementsMax) {
      read.fault ??= say('FILE_ELEMENTS')
    }
    if (read.fault === null) handlers.open(localName(name), attributes, before + parser.line)
  })
  const passText = (part: string) => {
    if (read.fault === null) handlers.text(part)
  }
  parser.on('text', passText)
  parser.on('cdata', passText)
  parser.on('closetag', ({ name }) => {
    read.depth -= 1
    if (read.fault === null) handlers.close(localName(name))
  })
  try {
    for (let at = 0; at < content.length && read.fault === null; at += PIECE_LENGTH) {
      parser.write(content.slice(at, at + PIECE_LENGTH))
      read.fault ??= handlers.fault?.()?.unreadable ?? null
    }
    if (read.fault === null) {
      parser.close()
    }
  } catch (error) {
    if (error !== malformed) throw error
    read.fault ??= malformed.message
  }
  return read.fault === null ? null : { unreadable: read.fault }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** Returns an attribute by its name without namespace prefix, undefined if there is none. */
export function attributeOf(
  attributes: Readonly<Record<string, string>>,
  name: string,
): string | undefined {
  const key = Object.keys(attributes).find((one) => localName(one) === name)
  return key === undefined ? undefined : attributes[key]
}
