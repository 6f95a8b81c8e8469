const version = /^## (Unreleased|\d+\.\d+\.\d+ \(\d{4}-\d{2}-\d{2}\))$/
const section = /^### (Upgrading|Added|Changed|Fixed)$/

/** Returns the headings of CHANGELOG.md other than its title, versions and four known sections. */
export function changelogFaults(text: string): string[] {
  const [title, ...rest] = text.split('\n')
  const faults = title === '# Changelog' ? [] : ['CHANGELOG.md:1: the title is "# Changelog"']
  const seen = new Set<string>()
  let under = ''
  rest.forEach((line, index) => {
    if (!line.startsWith('#')) return
    if (version.test(line)) under = line
    const known = version.test(line) || (section.test(line) && under !== '')
    const key = line.startsWith('### ') ? `${under} ${line}` : line
    if (!known || seen.has(key)) faults.push(`CHANGELOG.md:${index + 2}: heading "${line}"`)
    seen.add(key)
  })
  return faults
}
