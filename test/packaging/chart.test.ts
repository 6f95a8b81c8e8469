import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { calls } from '@coffer/cli/settings/service-names'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { expect, test } from '@jest/globals'
import { chart } from './chart.ts'
import { unknownSettings } from './setting-names.ts'

const read = (path: string) => readFileSync(join(chart, path), 'utf8')
const json = (path: string) => JSON.parse(read(path))

test('the chart has the calls between the services of the code', () => {
  expect(json('files/calls.json')).toEqual(calls)
})

test('the chart has the version of the release', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(read('Chart.yaml')).toContain(`\nversion: ${version}\nappVersion: ${version}\n`)
})

test('the schema has the parts of the code, and knows every value', () => {
  const { properties } = json('values.schema.json')
  const parts = [...Object.keys(calls), 'all']
  expect(Object.keys(properties.parts.properties).sort()).toEqual(parts.sort())
  const values = [...read('values.yaml').matchAll(/^(\w+):/gm)].map(([, name]) => name)
  expect([...values, 'global'].sort()).toEqual(Object.keys(properties).sort())
})

test('the schema refuses unknown names at every depth', () => {
  const open: string[] = []
  const visit = (path: string, schema: Record<string, unknown>) => {
    if (schema.properties !== undefined && schema.additionalProperties !== false) open.push(path)
    for (const [name, value] of Object.entries(schema)) {
      if (typeof value === 'object') visit(`${path}/${name}`, value as Record<string, unknown>)
    }
  }
  visit('', json('values.schema.json'))
  expect(open).toEqual([])
})

test('every setting in the chart exists', () => {
  const files = globSync('{templates,ci,examples,files}/**/*.{tpl,yaml,mjs,txt}', { cwd: chart })
  expect(files.length).toBeGreaterThan(15)
  const faults = ['values.yaml', ...files].flatMap((path) =>
    unknownSettings(read(path)).map((name) => `${path}: ${name}`),
  )
  expect(faults).toEqual([])
})

test('an unknown setting is found, also one of a single service', () => {
  const text = 'COFFER_PORT COFFER_PROT COFFER_%s_DATABASE_URL COFFER_%s_DATA COFFER_…: value'
  expect(unknownSettings(text)).toEqual(['COFFER_PROT', 'COFFER_%s_DATA'])
})

test('the grace period is longer than the lame-duck time and draining', () => {
  const serve = readFileSync(join(root, 'deploy/cli/src/commands/serve.ts'), 'utf8')
  const [, seconds] = /const drainMs = (\d+)_000/.exec(serve) ?? []
  expect(read('templates/_parts.tpl')).toContain(`add .Values.lameDuckSeconds ${seconds} 5`)
})
