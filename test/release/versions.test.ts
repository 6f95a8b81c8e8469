import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { formerRelease } from '@coffer/local/former-release'
import { mayNameVersions, versionsIn } from '@coffer/local/next-release'
import { expect, test } from '@jest/globals'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const { version } = JSON.parse(read('package.json'))

test('packages and the chart are of this version, pages also name the former one', () => {
  const listed = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
  const named = listed
    .split('\n')
    .filter(mayNameVersions)
    .flatMap((file) => versionsIn(file, read(file)).map((found) => ({ file, found })))
  expect(named.length).toBeGreaterThan(20)
  const isKnown = ({ file, found }: { file: string; found: string }) =>
    found === version || (file.endsWith('.md') && found === formerRelease().version)
  expect(named.filter((one) => !isKnown(one))).toEqual([])
})

test('the changelog begins with changes after this version, or with this version', () => {
  const [, first] = /^## (\S+)/m.exec(read('CHANGELOG.md')) ?? []
  expect(['Unreleased', version]).toContain(first)
})
