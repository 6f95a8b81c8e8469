import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { itemsIn, textOf } from './page-text.ts'

const pageLengthDefault = 250

/** Size in bytes of the header of a page: the uncompressed length. */
const lengthSize = 4

/** The content of a list as structured cloning passes it between threads. */
export type PagesContent = { pages: Uint8Array[]; length: number }

/**
 * A list that stores its items as compressed pages outside the heap of V8, and parses one page at a
 * time: as objects, 100,000 rows of a file take 60 MiB. Items are plain data: JSON, bigints, dates
 * and maps. DEFLATE (RFC 1951) shrinks them to a sixth, because field names and texts repeat.
 */
export class Pages<Item> implements Iterable<Item> {
  length = 0
  readonly #pageLength: number
  #pages: Uint8Array[] = []
  #last: Item[] = []
  /** Cache of the page that was parsed last: consecutive parts are often on the same page. */
  #read: { index: number; items: Item[] } | null = null

  /** `pageLength` is the number of items that are objects in memory at a time. */
  constructor(pageLength = pageLengthDefault) {
    this.#pageLength = pageLength
  }

  /** Restores a list from `content`; shares the bytes of its pages. */
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

  /** Returns an empty part; the items of all parts share the pages of this list. */
  part(): PagesPart<Item> {
    return new PagesPart(this)
  }

  /** Yields the items from index `start` up to, but without, `end`. */
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
  // With one byte more than needed, the output is a single chunk. Larger than Node's buffer pool,
  // it gets memory of its own, which can be freed below.
  const chunkSize = Math.max(Buffer.poolSize, length) + 1
  const plain = inflateRawSync(page.subarray(lengthSize), { chunkSize })
  const text = plain.toString()
  // Frees the memory at once; no other buffer shares it. The garbage collector would free it late,
  // because buffers are outside the heap whose size triggers it.
  if (plain.buffer instanceof ArrayBuffer) plain.buffer.transfer(0)
  return itemsIn(text) as Item[]
}

/** The items of one owner within a shared list: many small lists would not fill pages. */
export class PagesPart<Item> implements Iterable<Item> {
  length = 0
  readonly #list: Pages<Item>
  /** Consecutive items of this part in the list: first index, and the index after the last. */
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
    // Saves memory: V8 allocates one element for a literal, enough for most parts, but 17 for the
    // first push to an empty array.
    else if (last === undefined) this.#runs = [next]
    else this.#runs.push(next)
  }

  *[Symbol.iterator](): Generator<Item> {
    for (const { start, end } of this.#runs) yield* this.#list.slice(start, end)
  }
}
