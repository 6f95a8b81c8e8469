import { say } from '@coffer/kit/reasons/reasons'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { childOf, descendantsOf, type OfxNode, readOfxTree, textOf } from './ofx-tree.ts'

function tree(text: string): OfxNode {
  const node = readOfxTree(text)
  if ('unreadable' in node) throw new Error(node.unreadable)
  return node
}

/** Returns an element as nested arrays of names and texts: `['OFX', ['A', 'text']]`. */
function outline(node: OfxNode): unknown[] {
  return [
    node.name,
    ...(node.children.length > 0 ? node.children.map(outline) : [node.text.trim()]),
  ]
}

describe('the reader', () => {
  test.each([
    ['fields without end tags', '<OFX><A>1<B>2</OFX>'],
    ['fields with end tags', '<OFX><A>1</A><B>2</B></OFX>'],
    ['lines', 'HEADER:1\r\n\r\n<OFX>\r\n<A>1\r\n<B>2\r\n</OFX>\r\n'],
    ['lower case', '<ofx><a>1<b>2</ofx>'],
    ['instructions and comments', '<?xml version="1.0"?><OFX><!-- <C>3 --><A>1<?x y?><B>2</OFX>'],
    ['attributes', '<OFX xmlns="x"><A id="1">1</A><B>2</B></OFX>'],
    ['stray end tags', '<OFX><A>1</C><B>2</D></OFX>'],
  ])('reads %s', (_what, text) => {
    expect(outline(tree(text))).toEqual(['OFX', ['A', '1'], ['B', '2']])
  })

  test('reads all documents of a file, and refuses a file whose last one is cut', () => {
    const two = '<OFX><A>1</OFX>\nHEADER:1\n\n<OFX>\n<B>2</OFX>\n<p>end'
    expect(outline(tree(two))).toEqual(['OFX', ['A', '1'], ['B', '2']])
    expect(readOfxTree(two.slice(0, two.indexOf('</OFX>\n<p>')))).toEqual({
      unreadable: say('FILE_CUT'),
    })
  })

  test.each([
    ['<OFX><G><A><B>2<C></G><G><A>1</G></OFX>'],
    ['<OFX><G><A/><B>2</B><C/></G><G><A>1</A></G></OFX>'],
    ['<OFX><G><A></A><B>2</B><C></C></G><G><A>1</A></G></OFX>'],
    ['<OFX>\n<G>\n<A>\n<B>2\n<C>\n</G>\n<G>\n<A>1\n</G>\n</OFX>'],
  ])('finds empty fields beside the others in %j', (text) => {
    expect(outline(tree(text))).toEqual([
      'OFX',
      ['G', ['A', ''], ['B', '2'], ['C', '']],
      ['G', ['A', '1']],
    ])
  })

  test.each([
    ['a &amp; b', 'a & b'],
    ['a & b &c; &#x41;&#66; &lt;i&gt;', 'a & b &c; AB <i>'],
    ['&amp;lt;', '&lt;'],
    ['&#0;x&#9;y', 'x y'],
    ['&#xFFFFFF;', '&#xFFFFFF;'],
    ['&#xD800;', '\ufffd'],
    ['<![CDATA[<b> &amp;]]>', '<b> &amp;'],
    ['two\nlines', 'two lines'],
  ])('reads %j as %j', (written, text) => {
    expect(textOf(tree(`<OFX><A>${written}</OFX>`), 'A')).toBe(text)
  })

  test('refuses a document type before any entity', () => {
    expect(readOfxTree('<!DOCTYPE OFX [<!ENTITY a "b">]><OFX><A>&a;</OFX>')).toEqual({
      unreadable: say('FILE_DOCTYPE'),
    })
  })

  test('takes other bytes behind "<!" for what they are, and tells a file that is no OFX', () => {
    expect(readOfxTree('\0PK<!\x9fq<!D<OF X>')).toEqual({ unreadable: say('FILE_NOT_OFX') })
    expect(outline(tree('<OFX><A>1 <! 2<B>2</OFX>'))).toEqual(['OFX', ['A', '1 <! 2'], ['B', '2']])
  })

  test.each([
    ['depth', '<A>'.repeat(101)],
    ['number', '<A></A>'.repeat(1_000_001)],
  ])('refuses elements beyond a bounded %s', (_what, content) => {
    expect(readOfxTree(`<OFX>${content}</OFX>`)).toEqual({
      unreadable: 'The file has more elements than a statement needs',
    })
  })

  test('reads SGML and XML that are written from a tree', () => {
    const field = fc.tuple(fc.constantFrom('A', 'B', 'C'), fc.constantFrom('', '1', 'x y', 'é'))
    const groups = fc.array(fc.array(field, { maxLength: 6 }), { maxLength: 6 })
    const property = fc.property(groups, fc.boolean(), (list, ended) => {
      const group = (fields: [string, string][]) =>
        fields.map(([name, text]) => `<${name}>${text}${ended ? `</${name}>` : '\n'}`).join('')
      const node = tree(`<OFX>${list.map((fields) => `<G>${group(fields)}</G>`).join('')}</OFX>`)
      const read = descendantsOf(node, 'G').map((one) =>
        one.children.map((child) => [child.name, child.text.trim()]),
      )
      expect(read).toEqual(list)
    })
    fc.assert(property)
  })
})

test('a missing element has no children and blank texts', () => {
  expect(childOf(undefined, 'A')).toBeUndefined()
  expect(textOf(undefined, 'A')).toBe('')
  expect(textOf(tree('<OFX><A>1</OFX>'), 'B')).toBe('')
})
