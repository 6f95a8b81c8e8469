import bowser from 'bowser'

const lengthMax = 512

// Lists of known names: the parser falls back to text of the header, and a client could write any
// text into the list of sessions.
const browsers = new Set(Object.values(bowser.BROWSER_MAP))
const systems = new Set(Object.values(bowser.OS_MAP))
const models = new Set(['iPhone', 'iPad'])

/**
 * Returns browser and system of a `User-Agent`, such as "Firefox on Windows"; one of them if the
 * other is unknown, '' if both are. Versions are left out, because the name is stored with the
 * session.
 */
export function deviceNameOf(userAgent: string | undefined): string {
  if (!userAgent || userAgent.length > lengthMax) return ''
  const { browser, os, platform } = bowser.parse(userAgent)
  const isModel = platform.model !== undefined && models.has(platform.model)
  const system = isModel ? platform.model : os.name
  return [
    browser.name !== undefined && browsers.has(browser.name) ? browser.name : '',
    system !== undefined && (isModel || systems.has(system)) ? system : '',
  ]
    .filter((name) => name !== '')
    .join(' on ')
}
