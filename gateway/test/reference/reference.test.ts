import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from '@jest/globals'
import { contents, guides, slugOf } from '../../src/openapi/guides.ts'
import { renderGuide } from '../../src/reference/markdown.ts'
import { createGateway } from '../gateway.ts'

const gateway = await createGateway({})
afterAll(async () => await gateway[Symbol.asyncDispose]())

const docs = fileURLToPath(new URL('../../../docs', import.meta.url))

async function get(url: string, headers: Record<string, string> = {}) {
  return await gateway.send('GET', url, { as: null, headers })
}

/** Returns the URLs of links, styles and scripts in a page, without their fragment. */
function urlsIn(html: string, page: string): string[] {
  const found = [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, url = '']) => url)
  const urls = found.map((url) => new URL(url, `http://gateway${page}`))
  return urls
    .filter(({ host }) => host === 'gateway')
    .map(({ pathname, search }) => pathname + search)
}

describe('the reference', () => {
  test('loads scripts and styles of this server, under a strict CSP', async () => {
    const { status, headers, text } = await get('/api/reference')
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    const policy = String(headers['content-security-policy'])
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/)
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
    expect(text).not.toMatch(/https?:\/\/|<style|<script>| style=| on\w+="/)
  })

  test('lists every operation without scripts, money before billing', async () => {
    const { body: document } = await get('/api/openapi.json')
    const { text } = await get('/api/reference')
    const paths: Record<string, object> = document.paths
    const methods = Object.values(paths).flatMap((one): { operationId: string }[] =>
      Object.values(one),
    )
    const listed = [...text.matchAll(/<details class="operation" id="(\w+)"/g)].map(([, id]) => id)
    expect(listed.sort()).toEqual(methods.map(({ operationId }) => operationId).sort())
    const at = (tag: string) => text.indexOf(`<h2 id="${tag}">`)
    expect(at('links')).toBeGreaterThan(0)
    for (const money of ['links', 'bank-accounts', 'transactions', 'spending']) {
      expect(at('billing')).toBeGreaterThan(at(money))
    }
  })

  test('renders every operation, with its own links and without raw schemas', async () => {
    const { text } = await get('/api/reference')
    for (const [url] of text.matchAll(/reference\/operations\/\w+/g)) {
      const page = await get(`/api/${url}`)
      expect([url, page.status]).toEqual([url, 200])
      expect([url, page.text.match(/undefined|\[object|="https?:| style=/)?.[0]]).toEqual([
        url,
        undefined,
      ])
    }
  })

  test('has no dangling link, on any page', async () => {
    const pages = ['/api/reference', ...[...guides.keys()].map((slug) => `/api/reference/${slug}`)]
    const missing: string[] = []
    const seen = new Set<string>()
    for (const page of pages) {
      const { text } = await get(page)
      for (const url of urlsIn(text, page)) {
        if (seen.has(url)) continue
        seen.add(url)
        const { status } = await get(url)
        if (status !== 200) missing.push(`${page}: ${url}: ${status}`)
      }
    }
    expect(missing).toEqual([])
    expect(seen.size).toBeGreaterThan(pages.length)
  })

  test('has the URL of the server in the examples of its guides', async () => {
    const url = 'https://money.example/coffer'
    await using server = await createGateway({}, { COFFER_EXTERNAL_URL: `${url}/` })
    for (const slug of guides.keys()) {
      const { text } = await server.send('GET', `/api/reference/${slug}`, { as: null })
      expect([slug, text.match(/.*localhost:4000.*/)?.[0]]).toEqual([slug, undefined])
      if (slug === 'first-ten-minutes') expect(text).toContain(`URL=${url}/api\n`)
    }
  })

  const tenMinutes = '/api/reference/first-ten-minutes'

  test('without an external URL has the address of the request in all guides', async () => {
    for (const slug of guides.keys()) {
      const { text } = await get(`/api/reference/${slug}`, { host: '127.0.0.1:4100' })
      expect([slug, text.match(/.*localhost:4000.*/)?.[0]]).toEqual([slug, undefined])
    }
  })

  const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'money.example' }
  const hostile = { 'x-forwarded-proto': 'https', 'x-forwarded-host': '"><script>' }
  test('has the address that a trusted proxy names, and ignores others', async () => {
    await using proxied = await createGateway({}, { COFFER_TRUSTED_PROXIES: '127.0.0.1' })
    for (const [server, headers, address] of [
      [gateway, { host: '127.0.0.1:4100' }, 'http://127.0.0.1:4100'],
      [gateway, { host: '[::1]:4100' }, 'http://[::1]:4100'],
      [gateway, { host: 'coffer.lan', ...forwarded }, 'http://coffer.lan'],
      [gateway, { host: "a&b'" }, 'http://localhost:4000'],
      [proxied, { host: 'coffer.lan', ...forwarded }, 'https://money.example'],
      [proxied, { host: 'coffer.lan', ...hostile }, 'http://localhost:4000'],
    ] as const) {
      const { text } = await server.send('GET', tenMinutes, { as: null, headers })
      expect(text).toContain(`URL=${address}/api\n`)
      expect(text).not.toContain('"><script>')
    }
  })

  test('keeps some copies of a guide alone, whatever hosts are asked for', async () => {
    const tags = new Set<unknown>()
    for (let port = 4100; port < 4120; port += 1) {
      const { text, headers } = await get(tenMinutes, { host: `localhost:${port}` })
      expect(text).toContain(`URL=http://localhost:${port}/api\n`)
      tags.add(headers.etag)
      const validated = { host: `localhost:${port}`, 'if-none-match': String(headers.etag) }
      expect((await get(tenMinutes, validated)).status).toBe(304)
    }
    expect(tags.size).toBe(20)
  })

  test('has only pages and sections that exist in its contents', () => {
    for (const entry of contents.flatMap(({ entries }) => entries)) {
      const [path = '', anchor] = entry.split('#')
      const { headings } = renderGuide(path, readFileSync(`${docs}/${path}`, 'utf8'))
      const anchors = headings.map((heading) => heading.anchor)
      expect(guides.get(slugOf(path))).toBe(path)
      if (anchor !== undefined) expect(anchors).toContain(anchor)
    }
  })

  test('has pages alone that are in the image', () => {
    const ignored = readFileSync(`${docs}/../.dockerignore`, 'utf8').split('\n')
    const missing = [...guides.values()].filter((path) => {
      const [folder = '', ...rest] = path.split('/')
      return !ignored.includes(rest.length === 0 ? '!docs/*.md' : `!docs/${folder}`)
    })
    expect(missing).toEqual([])
  })

  test('refuses unknown pages and assets as JSON, and other methods', async () => {
    for (const name of ['nothing', 'operations/nothing', 'assets/package.json']) {
      const url = `/api/reference/${name}`
      const { status, body, headers } = await get(url)
      expect([status, body.error]).toEqual([404, 'no such page of the reference'])
      expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'")
    }
    const { status, headers } = await gateway.send('POST', '/api/reference', { body: {} })
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD'])
  })
})

describe('a file of the reference', () => {
  test('is cached forever at the URL with its hash, and validated at others', async () => {
    const { text } = await get('/api/reference')
    const url = urlsIn(text, '/api/reference').find((one) => one.includes('reference.js')) ?? ''
    const immutable = await get(url)
    expect(immutable.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    const other = await get(url.replace(/v=.*/, 'v=former'))
    expect([other.status, other.headers['cache-control']]).toEqual([200, 'no-cache'])
    expect(other.text).toBe(immutable.text)
    const tag = String(other.headers.etag)
    const again = await get('/api/reference/assets/reference.js', {
      'if-none-match': `"x", ${tag}`,
    })
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', tag])
  })

  test.each([
    ['br', 'gzip, br', brotliDecompressSync],
    ['gzip', 'gzip;q=0.5, br;q=0', gunzipSync],
  ] as const)('is sent as %s to a client that accepts it', async (coding, accepted, decode) => {
    const url = '/api/reference/assets/reference.css'
    const answer = await gateway.app.inject({ url, headers: { 'accept-encoding': accepted } })
    expect(answer.headers).toMatchObject({ 'content-encoding': coding, vary: 'accept-encoding' })
    expect(decode(answer.rawPayload).toString()).toBe((await get(url)).text)
  })
})

describe('a guide', () => {
  test('has the anchors of GitHub, and links to other guides', () => {
    const text = '# A `b`: c\n\n## D\n\n## D\n\n[e](limits.md#f) [g](../README.md) [h](#d)\n'
    const { title, html, headings } = renderGuide('api.md', text)
    expect(title).toBe('A b: c')
    expect(headings.map(({ anchor }) => anchor)).toEqual(['a-b-c', 'd', 'd-1'])
    expect(html).toContain('<a href="limits#f">e</a> g <a href="#d">h</a>')
  })
})
