import { ChoiceField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { Card } from '../../controls/screen.tsx'
import { chooseLanguage, chosenLanguage, languageNames } from '../../words/languages/languages.ts'
import { settingsWords as words } from '../../words/settings.ts'

/** The language of the app on this device. */
export function Language() {
  return (
    <Card title={words.language}>
      <Form
        action={words.changeLanguage}
        onSubmit={({ language = '' }) => chooseLanguage(language)}
      >
        <ChoiceField
          label={words.languageLabel}
          hint={words.languageHint}
          name="language"
          defaultValue={chosenLanguage() ?? ''}
          options={[{ value: '', text: words.languageOfBrowser }, ...languageNames]}
        />
      </Form>
    </Card>
  )
}
