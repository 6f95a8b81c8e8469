import { queries } from '../../api/query-client.ts'
import { forgetAnswers } from '../../api/revalidation.ts'
import { CheckField } from '../../controls/field.tsx'
import { Card } from '../../controls/screen.tsx'
import { chooseDevice } from '../../offline/device.ts'
import { usePreferences } from '../../preferences/preferences.ts'
import { settingsWords as words } from '../../words/settings.ts'

/** Choice whether this device stores answers for offline use. */
export function ThisDevice() {
  const { isOwnDevice } = usePreferences()
  const choose = async (isOwn: boolean) => {
    await chooseDevice(isOwn)
    // Drops the cached answers, so that all are fetched in full again and stored. `me` is fetched
    // first, because stored answers need the user to whom they belong.
    forgetAnswers()
    await queries.invalidateQueries({ queryKey: ['me'] })
    await queries.invalidateQueries()
  }
  return (
    <Card title={words.device}>
      <p>{words.deviceText}</p>
      <CheckField
        label={words.deviceKeep}
        checked={isOwnDevice === true}
        onChange={(event) => void choose(event.target.checked)}
      />
    </Card>
  )
}
