import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { changelogFaults } from './changelog.ts'
import { checklistFaults } from './checklist.ts'
import { isCode, isTest, workspaceDirectories, writtenFiles } from './files.ts'
import { countLines, longFiles, longFunctions, proportionFaults } from './lengths.ts'
import { danglingLinks, missingNames } from './links.ts'
import { parseModule } from './modules.ts'
import { badNames } from './names.ts'
import {
  badImports,
  idleDependencies,
  kitFaults,
  lostLinks,
  parsePackage,
  readmeFaults,
} from './packages.ts'
import { deadFiles, unusedExports } from './reach.ts'
import {
  arrowsInCircles,
  crowdedFolders,
  importCircles,
  pictureFaults,
  roomArrows,
} from './rooms.ts'
import { callFaults, eventFaults, partsOf } from './services/calls.ts'
import { rpcFaults } from './services/layers.ts'
import { overdueMarkers, unmarkedBranches } from './services/markers.ts'
import { bannedWords, literalTexts } from './words.ts'
import { strayImports, strayWrites, untoldWrites } from './writes.ts'

const files = writtenFiles()
const code = files.filter(isCode)
// Exempt files: as tests of these checks they quote forbidden words and file names.
const quoting = /^test\/house\/([a-z]+\.test|words)\.ts$/
const modules = code.map((file) => {
  const module = parseModule(file)
  return quoting.test(file.path) ? { ...module, mentions: [] } : module
})
const packages = files.filter(({ path }) => /(^|\/)package\.json$/.test(path)).map(parsePackage)
const scripts = packages.map((one) => one.scripts).join(' ')
// Entry points: scripts, and workflow modules, which the bundler finds by their suffix.
const isEntry = (path: string) => scripts.includes(path) || path.endsWith('.workflow.ts')
const entries = code.map(({ path }) => path).filter(isEntry)

test('the repository has files to check', () => {
  expect(code.length).toBeGreaterThan(10)
  expect(packages.length).toBeGreaterThan(10)
})

test('files that programs write say so in .gitattributes', () => {
  const generated = /(^|\/)gen\/|-lock\.yaml$|\.sum$/
  expect(files.filter(({ path }) => generated.test(path)).map(({ path }) => path)).toEqual([])
})

test('files have at most 300 lines, lines of code 100 columns and of Markdown 120', () => {
  expect(files.flatMap(longFiles)).toEqual([])
})

// The goal of `lengths.ts`.
const testsPerSourceLine = 1.2

test('tests have at most so many lines for each line of source', () => {
  expect(proportionFaults(countLines(files), testsPerSourceLine)).toEqual([])
})

test('functions have at most 70 lines', () => {
  expect(code.flatMap(longFunctions)).toEqual([])
})

test('no file has leftovers, machine paths or registry hosts', () => {
  expect(files.filter(({ path }) => !quoting.test(path)).flatMap(bannedWords)).toEqual([])
  expect(files.flatMap(literalTexts)).toEqual([])
})

test('file names have a noun of the domain, and a layer as suffix', () => {
  expect(files.flatMap(({ path }) => badNames(path))).toEqual([])
})

test('files of RPCs export handlers only', () => {
  expect(code.flatMap(rpcFaults)).toEqual([])
})

test('every file under src is reached from an entry point or a test of another file', () => {
  expect(deadFiles(modules, entries)).toEqual([])
})

test('every exported value is imported somewhere', () => {
  expect(unusedExports(modules, [...entries, 'jest.config.js'])).toEqual([])
})

test('no file is a barrel', () => {
  expect(modules.filter((module) => module.isBarrel).map((module) => module.path)).toEqual([])
})

test('only settings of tools have a default export', () => {
  const wanted = /(^|\/)[a-z-]+\.config\.(js|ts)$|^test\/(native-runtime|runner|sequencer)\.ts$/
  const found = modules.filter((one) => one.hasDefaultExport && !wanted.test(one.path))
  expect(found.map((module) => module.path)).toEqual([])
})

test('imports are declared, stay in the package and name an existing .ts file', () => {
  expect(badImports(modules, packages)).toEqual([])
})

test('links of the lockfile lead to packages', () => {
  expect(lostLinks(readFileSync('pnpm-lock.yaml', 'utf8'), packages)).toEqual([])
})

test('every package imports its dependencies', () => {
  expect(idleDependencies(modules, packages)).toEqual([])
})

test('every package with code has a README of at most 120 lines', () => {
  expect(readmeFaults(files, packages)).toEqual([])
})

test('kit stays small and imports nothing of the host', () => {
  expect(kitFaults(modules)).toEqual([])
})

test('no folder is crowded, and no imports go in a circle', () => {
  expect(crowdedFolders(files)).toEqual([])
  expect(importCircles(modules)).toEqual([])
})

test('rooms import downwards only', () => {
  const found = workspaceDirectories().filter((directory) => {
    return arrowsInCircles(roomArrows(modules, directory)).length > 0
  })
  expect(found).toEqual([])
})

test('the picture of a README shows what rooms import', () => {
  const faults = workspaceDirectories().flatMap((one) => {
    const readme = files.find(({ path }) => path === `${one}/README.md`)
    return readme === undefined ? [] : pictureFaults(readme, roomArrows(modules, one))
  })
  expect(faults).toEqual([])
})

test('the picture of the parts shows their calls, the table of events their handlers', () => {
  const parts = partsOf(files, modules)
  const pageOf = (path: string) => files.filter((one) => one.path === path)
  expect(pageOf('README.md').flatMap((readme) => callFaults(readme, parts))).toEqual([])
  expect(pageOf('docs/events.md').flatMap((page) => eventFaults(page, files, parts))).toEqual([])
})

test('only the files of their writer change money and plans', () => {
  expect(files.flatMap(strayWrites)).toEqual([])
  expect(modules.flatMap(strayImports)).toEqual([])
  expect(untoldWrites(modules)).toEqual([])
})

test('the checklist of docs/security.md is complete, and its files and tests exist', () => {
  const page = files.find(({ path }) => path === 'docs/security.md')
  expect(checklistFaults(page?.text ?? '', files)).toEqual([])
})

test('branches for a former version say until which release, and none is overdue', () => {
  const root = files.find(({ path }) => path === 'package.json')
  const { version } = JSON.parse(root?.text ?? '{}')
  const marked = files.filter(({ path }) => !path.startsWith('test/house/services/markers'))
  expect(marked.flatMap((file) => overdueMarkers(file, version))).toEqual([])
  const ofProcesses = /^(services|gateway|deploy\/cli)\/(\w|-|\/)*src\//
  const running = code.filter(({ path }) => ofProcesses.test(path) && !isTest(path))
  expect(running.length).toBeGreaterThan(100)
  expect(running.flatMap(unmarkedBranches)).toEqual([])
})

test('links in Markdown lead to existing files and headings', () => {
  expect(danglingLinks(files)).toEqual([])
})

test('source files that a page names are there', () => {
  const pages = files.filter(({ path }) => path.endsWith('.md') && path !== 'CHANGELOG.md')
  expect(pages.flatMap((page) => missingNames(page, files))).toEqual([])
})

test('pages of docs/api are guides of the reference (gateway/src/openapi/guides.ts)', () => {
  const guides = files.find(({ path }) => path === 'gateway/src/openapi/guides.ts')?.text ?? ''
  const pages = files.filter(({ path }) => path.startsWith('docs/api/'))
  const missing = pages.filter(({ path }) => !guides.includes(`'${path.slice('docs/'.length)}'`))
  expect(missing.map(({ path }) => path)).toEqual([])
})

test('the changelog has its form', () => {
  const changelog = files.find(({ path }) => path === 'CHANGELOG.md')
  expect(changelogFaults(changelog?.text ?? '')).toEqual([])
})
