import { isCode, writtenFiles } from '../house/files.ts'
import { longFiles, longFunctions } from '../house/lengths.ts'
import { danglingLinks } from '../house/links.ts'
import { badNames } from '../house/names.ts'
import { bannedWords } from '../house/words.ts'
import { strayWrites } from '../house/writes.ts'

// The house rules about single files, for the files of the command line. `npm test` and `npm test
// -- test/house` check these and the rules about several files.
const paths = new Set(process.argv.slice(2))
const all = writtenFiles()
const files = all.filter(({ path }) => paths.has(path))
const faults = [
  ...files.flatMap(longFiles),
  ...files.filter(isCode).flatMap(longFunctions),
  ...files.filter(({ path }) => !path.startsWith('test/house/')).flatMap(bannedWords),
  ...files.flatMap(({ path }) => badNames(path)),
  ...files.flatMap(strayWrites),
  ...danglingLinks(all).filter((fault) => paths.has(fault.split(':', 1)[0] ?? '')),
]
for (const fault of faults) console.log(fault)
process.exitCode = faults.length === 0 ? 0 : 1
