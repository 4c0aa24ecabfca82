import { Command } from 'commander';
import { commands, listNested } from '../../../src/cli/commands.ts';

/** The help of every command, as `puente COMMAND --help` prints it on a terminal of 100 columns. */
export async function formatCommands(): Promise<string> {
  const puente = new Command('puente')
    .configureHelp({ subcommandTerm: (command) => `${command.name()} ${command.usage()}` })
    .configureOutput({ getOutHelpWidth: () => 100, getOutHasColors: () => false });
  const sections: string[] = [];
  for (const [name, load] of Object.entries(commands)) {
    const command = await load();
    for (const each of listNested(command)) each.copyInheritedSettings(puente);
    puente.addCommand(command);
    const blocks = listNested(command).map((each) => `\`\`\`text\n${each.helpInformation().trimEnd()}\n\`\`\``);
    sections.push(`## ${name}`, ...blocks);
  }
  return sections.join('\n\n');
}
