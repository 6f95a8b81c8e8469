import { mkdtempDisposableSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { node24, root } from '@coffer/local/bootstrap/paths.mjs'
import { beforeAll, expect, test } from '@jest/globals'
import { output, render, requireTools, valuesOf } from './chart.ts'
import { helm } from './tools/tool-list.ts'

const deployments = ['--show-only', 'templates/deployments.yaml']

beforeAll(() => requireTools([helm]))

test.each(['mesh', 'single'])('signing keys are rotated twice to the end in %s', async (set) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'coffer-chart-'))
  const keys = folder.path
  const run = (...args: string[]) => runKeys(keys, args)
  await run('keys:create')
  let former = publicFiles(keys)
  let names: string[] = []
  expect(await mountedBy(set, names, keys)).toEqual(former)
  for (let rotation = 0; rotation < 2; rotation += 1) {
    await run('keys:rotate', '--signing')
    const next = publicFiles(keys).filter((name) => !former.includes(name))
    expect(next).toHaveLength(7)
    names = [...names, ...next]
    expect(await mountedBy(set, names, keys)).toEqual([...former, ...next].sort())
    const finished = await run('keys:rotate', '--signing', '--finish')
    for (const name of former) {
      expect(finished).toContain(name)
      rmSync(join(keys, name))
    }
    expect(await mountedBy(set, names, keys)).toEqual(next)
    names = next
    expect(await mountedBy(set, names, keys)).toEqual(next)
    former = next
  }
})

test('a new pod starts before a key that the values name is in the Secret', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'coffer-chart-'))
  await runKeys(folder.path, ['keys:create'])
  const named = ['identity.0123456789abcdef.pub']
  expect(await mountedBy('mesh', named, folder.path)).toEqual(publicFiles(folder.path))
})

test('parts have images of their own, and the migration has the new one', async () => {
  const text = await render([
    ...valuesOf('secured'),
    '--set=image.digest=',
    '--set=image.tag=0.3.0',
    '--set=defaults.image.tag=0.2.0',
    '--set=parts.identity.image.tag=0.3.0',
  ])
  expect(imagesOf(text, 'coffer')).toEqual([...Array(6).fill('0.2.0'), '0.3.0'])
  expect(imagesOf(text, 'migrate')).toEqual(['0.3.0'])
  const digest = ['--set=defaults.image.tag=0.2.0', ...deployments]
  const overDigest = await render([...valuesOf('secured'), ...digest])
  expect(imagesOf(overDigest, 'coffer')).toEqual(Array(7).fill('0.2.0'))
})

/** Runs a command of Coffer's program on a keys folder; returns its output. */
function runKeys(keys: string, args: string[]): Promise<string> {
  const env = { ...process.env, COFFER_KEYS_DIR: keys }
  return output(node24, [join(root, 'deploy/cli/src/coffer.ts'), ...args], { env })
}

function publicFiles(keys: string): string[] {
  return readdirSync(keys)
    .filter((name) => name.endsWith('.pub'))
    .sort()
}

/**
 * Mounts the folder as a kubelet mounts the Secret into new pods: a file of a source that is not
 * optional must exist. Returns the public keys, which must be the same in the pods of all parts.
 */
async function mountedBy(set: string, names: string[], keys: string): Promise<string[]> {
  const values = `--set-json=keys.public=${JSON.stringify(names)}`
  const text = await render([...valuesOf(set), ...deployments, values])
  const pods = text.split(/^---$/m).filter((pod) => pod.includes('- name: keys'))
  expect(pods).toHaveLength(set === 'single' ? 1 : 7)
  const inFolder = readdirSync(keys)
  const mounted = pods.map((pod) => {
    const source =
      /- secret:\n +name: [\w-]+-keys\n( +optional: true\n)? +items:\n((?: +- \{.*\n?)+)/g
    const sources = [...pod.matchAll(source)].map(([, optional, items = '']) => ({
      isRequired: optional === undefined,
      files: [...items.matchAll(/key: "?([^", ]+)/g)].map(([, name = '']) => name),
    }))
    expect(sources.map(({ isRequired }) => isRequired)).toEqual([true, false])
    const required = sources.flatMap(({ isRequired, files }) => (isRequired ? files : []))
    expect(required.length).toBeGreaterThan(0)
    expect(inFolder).toEqual(expect.arrayContaining(required))
    const all = sources.flatMap(({ files }) => files)
    expect(new Set(all).size).toBe(all.length)
    return all.filter((name) => name.endsWith('.pub') && inFolder.includes(name)).sort()
  })
  for (const one of mounted) expect(one).toEqual(mounted[0])
  return mounted[0] ?? []
}

/** Returns the tags of the images of all containers with a name, sorted. */
function imagesOf(text: string, container: string): string[] {
  const image = new RegExp(`- name: ${container}\\n +image: \\S+:(\\S+)`, 'g')
  return [...text.matchAll(image)].map(([, tag = '']) => tag).sort()
}
