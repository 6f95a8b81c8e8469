import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { validate } from '@readme/openapi-parser'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { createGateway } from '../gateway.ts'

// With and without optional features: proof of work adds keys to bodies, a URL changes `servers`.
const bare = await createGateway({})
const full = await createGateway(
  {},
  {
    COFFER_EXTERNAL_URL: 'https://money.example.org/',
    COFFER_PROOF_OF_WORK_ENABLED: 'true',
    COFFER_UPLOADS_ENABLED: 'true',
  },
)
afterAll(async () => {
  for (const one of [bare, full]) await one[Symbol.asyncDispose]()
})

let texts: string[]
beforeAll(async () => {
  const answers = [bare, full].map((one) => one.send('GET', '/api/openapi.json', { as: null }))
  texts = (await Promise.all(answers)).map(({ text }) => text)
})

test('the document fits the schema of OpenAPI 3.1', async () => {
  for (const text of texts) {
    expect(await new Validator().validate(JSON.parse(text))).toEqual({ valid: true })
  }
})

test('a second validator finds no error and no warning', async () => {
  for (const text of texts) {
    expect(await validate(JSON.parse(text))).toMatchObject({ valid: true, warnings: [] })
  }
})

test('the recommended rules of a linter find no error and no warning', async () => {
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      // The repository states no licence, so the document must not invent one.
      'info-license': 'off',
      // `transactions/upload/{id}` and `transactions/{id}/similar` share no URL: IDs have a prefix.
      'no-ambiguous-paths': 'off',
    },
  })
  for (const source of texts) {
    const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config })
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
  }
})

test('patterns mean the same to engines without Unicode properties and look-around', () => {
  const patterns = texts.flatMap((text) => [...text.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)])
  const found = new Set(patterns.map(([, json = '']) => JSON.parse(json) as string))
  expect(found.size).toBeGreaterThan(30)
  for (const pattern of found) {
    expect([new RegExp(pattern).source, new RegExp(pattern, 'u').source]).toHaveLength(2)
    expect(pattern).not.toMatch(/\\[pPuk1-9]|\(\?[=!<]/)
  }
})

test('descriptions name guides of this server, and no page of the repository', async () => {
  const bases = ['', 'https://money.example.org']
  for (const [at, text] of texts.entries()) {
    expect(text).not.toMatch(/\bdocs\/[\w/-]+\.md/)
    const linked = [...text.matchAll(/\]\(([^()]*)(\/api\/reference\/[^#()]*)#?([^()]*)\)/g)]
    expect(linked.length).toBeGreaterThan(50)
    for (const [, base, path = '', anchor = ''] of linked) {
      expect(base).toBe(bases[at])
      const guide = await bare.send('GET', path, { as: null })
      expect([path, guide.status]).toEqual([path, 200])
      if (anchor !== '') expect(guide.text).toContain(`id="${anchor}"`)
    }
  }
})

test('the document names the server by its external URL, else relative to the document', () => {
  const urls = texts.map((text) => JSON.parse(text).servers.map(({ url }: { url: string }) => url))
  expect(urls).toEqual([['/'], ['https://money.example.org']])
})
