import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from '@jest/globals'
import { workflowBundle } from '../../src/workflows/workflow-bundle.ts'
import { scratchFolder } from '../../testing/fixture/scratch.ts'

/** Writes a workflow module with imports; returns it with a fake `build` that records its calls. */
async function modules() {
  const folder = await scratchFolder()
  const write = (name: string, text: string) => writeFile(join(folder.path, name), text)
  await write(
    'pay.workflow.ts',
    "import { step } from './step.ts'\nimport type { X } from './x.ts'\n",
  )
  await write('step.ts', "export { size } from './size.ts'\nexport const step = 1\n")
  await write('size.ts', 'export const size = 1\n')
  await write('x.ts', 'export type X = 1\n')
  const workflows = [pathToFileURL(join(folder.path, 'pay.workflow.ts'))]
  const cache = join(folder.path, 'cache')
  let built = 0
  const build = async () => `code ${++built}`
  const bundle = async () => (await workflowBundle(workflows, { folder: cache, build })).code
  return { folder, write, cache, bundle, workflows }
}

test('a bundle is built once', async () => {
  const { folder, cache, bundle } = await modules()
  await using _ = folder
  expect([await bundle(), await bundle()]).toEqual(['code 1', 'code 1'])
  expect(await readdir(cache)).toHaveLength(1)
})

test.each([
  ['the module itself', 'pay.workflow.ts', 'code 2'],
  ['what it imports', 'step.ts', 'code 2'],
  ['what that exports of another', 'size.ts', 'code 2'],
  ['what it has only types of', 'x.ts', 'code 1'],
])('a change of %s', async (_name, file, code) => {
  const { folder, write, cache, bundle } = await modules()
  await using _ = folder
  await bundle()
  await write(file, `${await readFile(join(folder.path, file), 'utf8')}// changed\n`)
  expect(await bundle()).toBe(code)
  // The new bundle has replaced the old cache file.
  expect(await readdir(cache)).toHaveLength(1)
})

test('a truncated bundle in the cache is built again', async () => {
  const { folder, cache, bundle } = await modules()
  await using _ = folder
  await bundle()
  const [name = ''] = await readdir(cache)
  await writeFile(join(cache, name), '// 0')
  expect(await bundle()).toBe('code 2')
})

test('without a writable cache a bundle is built at each start', async () => {
  const { folder, write, cache, bundle } = await modules()
  await using _ = folder
  await write('cache', 'a file, no folder')
  expect([await bundle(), await bundle()]).toEqual(['code 1', 'code 2'])
  expect(await readFile(cache, 'utf8')).toBe('a file, no folder')
})
