import { deserialize, serialize } from 'node:v8'

/** Number of items of a page by default. */
const pageLengthDefault = 1000

/** The content of a list as structured cloning passes it between threads. */
export type PagesContent = { pages: Uint8Array[]; length: number }

/**
 * A list that keeps its items as bytes outside the heap of V8, in pages, and makes objects of one
 * page at a time: as objects, 100,000 rows of a file take 60 MiB. Items are cloned (HTML standard,
 * structured cloning), so they hold data only.
 */
export class Pages<Item> implements Iterable<Item> {
  length = 0
  readonly #pageLength: number
  #pages: Uint8Array[] = []
  #last: Item[] = []

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

  /** Returns the content; its bytes are in shared memory, which is passed without a copy. */
  content(): PagesContent {
    if (this.#last.length > 0) this.#endPage()
    return { pages: this.#pages, length: this.length }
  }

  *[Symbol.iterator](): Generator<Item> {
    for (const page of this.pages()) yield* page
  }

  *pages(): Generator<Item[]> {
    for (const page of this.#pages) yield deserialize(page) as Item[]
    if (this.#last.length > 0) yield this.#last
  }

  /** Yields the pages from the last to the first. */
  *lastPages(): Generator<Item[]> {
    if (this.#last.length > 0) yield this.#last
    for (const page of this.#pages.toReversed()) yield deserialize(page) as Item[]
  }

  #endPage(): void {
    const bytes = serialize(this.#last)
    const page = new Uint8Array(new SharedArrayBuffer(bytes.length))
    page.set(bytes)
    this.#pages.push(page)
    this.#last = []
  }
}
