// A setting that cannot be used, told to a person who starts the node.
// Invariant: the message is a sentence that begins with the setting's name.
export class SettingsFault extends Error {
  override readonly name = "SettingsFault";
}
