import { isTest } from './files.ts'

const layers = [
  'sql',
  'rpc',
  'service',
  'workflow',
  'activities',
  'client',
  'consumer',
  'worker',
  'test',
]

/** Returns faults of a file name: a noun such as `utils`, or a suffix that names no layer. */
export function badNames(path: string): string[] {
  if (!path.endsWith('.ts')) return []
  const name = path.slice(path.lastIndexOf('/') + 1, -'.ts'.length)
  // `*.long.test.ts` are the tests that only `npm run test:long` runs.
  const [noun = '', ...suffixes] = name.replace(/\.long\.test$/, '.test').split('.')
  if (/^(index|utils?|common|helpers?|misc|shared|types)$/.test(noun)) {
    return [`${path}: name it after what is in it`]
  }
  const inService = /^services\/(?!kit\/)/.test(path) && !isTest(path)
  const known = inService ? layers : [...layers, 'd', 'config']
  return suffixes
    .filter((suffix) => !known.includes(suffix))
    .map((suffix) => `${path}: .${suffix} is no layer`)
}
