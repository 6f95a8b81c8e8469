import rows from '../../controls/rows.module.css'
import { Card, Screen } from '../../controls/screen.tsx'
import { settingsWords as words } from '../../words/settings.ts'
import { licences } from './licence-list.ts'
import styles from './settings.module.css'

/** The packages in the bundle, each with its licence. */
export function Licences() {
  return (
    <Screen title={words.licences} isNarrow>
      <p className={rows.soft}>{words.licencesText}</p>
      <Card>
        <ul className={rows.rows}>
          {licences.map(({ name, version, licence, text }) => (
            <li key={`${name} ${version}`} className={styles.licence}>
              <details>
                <summary>
                  {name} {version} <span className={rows.soft}>{licence}</span>
                </summary>
                <pre>{text}</pre>
              </details>
            </li>
          ))}
        </ul>
      </Card>
    </Screen>
  )
}
