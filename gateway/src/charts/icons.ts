import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { findWords, hasVowel } from '@coffer/kit/values/words'

/** A brand icon in REST: `svg` is the file in base64, `colors` are hexadecimal without #. */
export interface Icon {
  title: string
  slug: string
  library: 'simple-icons'
  svg: string
  colors: string[]
}

/** An entry of the bundled list of simple-icons. */
interface Brand {
  title: string
  slug: string
  hex: string
}

const { resolve } = createRequire(import.meta.url)
let brands: Promise<Map<string, Brand>> | undefined

/**
 * Returns the icon of the first word of `name` that equals a brand's slug or its title without
 * spaces; null if no word does (docs/api.md#icons). The first search loads the list into memory.
 */
export async function searchIcon(name: string): Promise<Icon | null> {
  brands ??= readBrands()
  const known = await brands
  for (const { clean } of findWords(name)) {
    const brand = hasVowel(clean) ? known.get(clean) : undefined
    if (brand) return readIcon(brand)
  }
  return null
}

/** Returns brands keyed by slug, and by title unless the title is another brand's slug. */
async function readBrands(): Promise<Map<string, Brand>> {
  const list: Brand[] = JSON.parse(await readFile(resolve('simple-icons/icons.json'), 'utf8'))
  const bySlug = new Map(list.map((brand) => [brand.slug, brand]))
  for (const brand of list) {
    const title = brand.title.toLowerCase().replaceAll(' ', '')
    if (!bySlug.has(title)) bySlug.set(title, brand)
  }
  return bySlug
}

async function readIcon({ title, slug, hex }: Brand): Promise<Icon> {
  const svg = await readFile(resolve(`simple-icons/icons/${slug}.svg`), 'base64')
  return { title, slug, library: 'simple-icons', svg, colors: [hex] }
}
