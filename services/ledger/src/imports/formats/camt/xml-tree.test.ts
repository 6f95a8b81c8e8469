import { describe, expect, test } from '@jest/globals'
import { childrenOf, nodeAt, readXmlTree, textAt, type XmlNode } from './xml-tree.ts'

function tree(text: string): XmlNode {
  const node = readXmlTree(text)
  if ('unreadable' in node) throw new Error(node.unreadable)
  return node
}

test('elements are found by path, whatever their prefix', () => {
  const root = tree('\n<?xml version="1.0"?><p:A xmlns:p="u"><B x="1">1</B><B> 2\n 3 </B></p:A>')
  expect(root.name).toBe('A')
  expect(childrenOf(root, 'B').map(({ attributes }) => attributes)).toEqual([{ x: '1' }, {}])
  expect(textAt(root, 'B')).toBe('1')
  expect(textAt(childrenOf(root, 'B')[1])).toBe('2 3')
  expect(nodeAt(root, 'B', 'C')).toBeUndefined()
  expect(textAt(undefined, 'B')).toBe('')
})

test.each([
  ['<A>a &amp; b</A>', 'a & b'],
  ['<A>&#x41;&#66;</A>', 'AB'],
  ['<A><![CDATA[<b> &amp;]]></A>', '<b> &amp;'],
  ['<A>x<!-- y -->z</A>', 'xz'],
  ['<A>dropped<B/>too</A>', ''],
])('the text of %s is %j', (written, text) => {
  expect(textAt(tree(written))).toBe(text)
})

describe('refused XML', () => {
  const bomb =
    '<!DOCTYPE A [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY c "&b;&b;&b;">]><A>&c;</A>'
  test.each([
    ['<A>', 'The file is not well-formed XML'],
    ['<A></B>', 'The file is not well-formed XML'],
    ['<A>&b;</A>', 'The file is not well-formed XML'],
    ['<A>a & b</A>', 'The file is not well-formed XML'],
    ['<A/><B/>', 'The file is not well-formed XML'],
    ['', 'The file is not well-formed XML'],
    [bomb, 'The file declares a document type, which statements do not have'],
    ['<A>'.repeat(2_000_000), 'The file has more elements than a statement needs'],
    [`<A>${'<B/>'.repeat(1_000_000)}</A>`, 'The file has more elements than a statement needs'],
  ])('%# has a reason', (text, unreadable) => {
    expect(readXmlTree(text)).toEqual({ unreadable })
  })
})
