import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { itemsIn, textOf } from './page-text.ts'

/** Number of items of a page by default. */
const pageLengthDefault = 250

/** Bytes at the start of a page that state the length of its items before they are deflated. */
const lengthSize = 4

/** The content of a list as structured cloning passes it between threads. */
export type PagesContent = { pages: Uint8Array[]; length: number }

/**
 * A list that keeps its items as bytes outside the heap of V8, in pages, and makes objects of one
 * page at a time: as objects, 100,000 rows of a file take 60 MiB. Items hold data only: JSON,
 * bigints, dates and maps. DEFLATE (RFC 1951) leaves a sixth of the bytes, as field names and texts
 * repeat.
 */
export class Pages<Item> implements Iterable<Item> {
  length = 0
  readonly #pageLength: number
  #pages: Uint8Array[] = []
  #last: Item[] = []
  /** The page that a part has read last, as parts follow each other. */
  #read: { index: number; items: Item[] } | null = null

  /** `pageLength` items are objects at a time. */
  constructor(pageLength = pageLengthDefault) {
    this.#pageLength = pageLength
  }

  /** Returns the list of a content; shares the bytes of its pages. */
  static of<Item>({ pages, length }: PagesContent): Pages<Item> {
    const list = new Pages<Item>()
    list.#pages = [...pages]
    list.length = length
    return list
  }

  static from<Item>(items: Iterable<Item>): Pages<Item> {
    const list = new Pages<Item>()
    for (const item of items) list.push(item)
    return list
  }

  push(item: Item): void {
    this.#last.push(item)
    this.length += 1
    if (this.#last.length === this.#pageLength) this.#endPage()
  }

  /** Returns an empty part of the list, whose items are pages together with those of others. */
  part(): PagesPart<Item> {
    return new PagesPart(this)
  }

  /** Yields the items from one index up to another one. */
  *slice(start: number, end: number): Generator<Item> {
    for (let at = start; at < end; ) {
      const from = at % this.#pageLength
      const items = this.#pageAt(Math.floor(at / this.#pageLength)).slice(from, from + end - at)
      if (items.length === 0) return
      yield* items
      at += items.length
    }
  }

  /** Returns the content; its bytes are in shared memory, which is passed without a copy. */
  content(): PagesContent {
    if (this.#last.length > 0) this.#endPage()
    return { pages: this.#pages, length: this.length }
  }

  *[Symbol.iterator](): Generator<Item> {
    for (const page of this.pages()) yield* page
  }

  *pages(): Generator<Item[]> {
    for (const page of this.#pages) yield itemsOf<Item>(page)
    if (this.#last.length > 0) yield this.#last
  }

  /** Yields the pages from the last to the first. */
  *lastPages(): Generator<Item[]> {
    if (this.#last.length > 0) yield this.#last
    for (const page of this.#pages.toReversed()) yield itemsOf<Item>(page)
  }

  #pageAt(index: number): Item[] {
    const page = this.#pages[index]
    if (page === undefined) return this.#last
    if (this.#read?.index !== index) this.#read = { index, items: itemsOf(page) }
    return this.#read.items
  }

  #endPage(): void {
    const plain = Buffer.from(textOf(this.#last))
    const deflated = deflateRawSync(plain, { level: 1 })
    const page = Buffer.from(new SharedArrayBuffer(lengthSize + deflated.length))
    page.writeUInt32LE(plain.length)
    page.set(deflated, lengthSize)
    this.#pages.push(page)
    this.#last = []
  }
}

function itemsOf<Item>(page: Uint8Array): Item[] {
  const length = Buffer.from(page.buffer, page.byteOffset).readUInt32LE()
  // One byte more than the items have: they are in one chunk, which is too long for Node's pool.
  const chunkSize = Math.max(Buffer.poolSize, length) + 1
  const plain = inflateRawSync(page.subarray(lengthSize), { chunkSize })
  const text = plain.toString()
  // Frees the memory, which this buffer has alone. The collector would do so later: it looks at the
  // size of the heap, and buffers are outside of it.
  if (plain.buffer instanceof ArrayBuffer) plain.buffer.transfer(0)
  return itemsIn(text) as Item[]
}

/** The items of one owner in a list of many: a list for each would keep few items as objects. */
export class PagesPart<Item> implements Iterable<Item> {
  length = 0
  readonly #list: Pages<Item>
  /** First index of each run of items in the list, and the one behind it. */
  #runs: { start: number; end: number }[] = []

  constructor(list: Pages<Item>) {
    this.#list = list
  }

  push(item: Item): void {
    const at = this.#list.length
    const last = this.#runs.at(-1)
    this.#list.push(item)
    this.length += 1
    const next = { start: at, end: at + 1 }
    if (last?.end === at) last.end += 1
    // A literal has room for one run alone, as most parts have; push makes room for 16.
    else if (last === undefined) this.#runs = [next]
    else this.#runs.push(next)
  }

  *[Symbol.iterator](): Generator<Item> {
    for (const { start, end } of this.#runs) yield* this.#list.slice(start, end)
  }
}
