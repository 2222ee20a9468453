import { useData } from 'vitepress';
import { defineComponent, h, onMounted, ref } from 'vue';
import type { ThemeSettings } from '../src/config.ts';

/** The version of this copy, and links to the others. */
export const versionSwitch = defineComponent({
  name: 'VersionSwitch',
  setup() {
    const { rootPath, version, versions: built } = useData<ThemeSettings>().theme.value.site;
    const versions = ref(built);
    // A copy of an older version learns here about later ones
    onMounted(async () => {
      const response = await fetch(`${rootPath}versions.json`).catch(() => undefined);
      if (response?.ok) versions.value = await response.json();
    });
    const open = (path: string): void => location.assign(rootPath + path);
    return () => {
      const listed = versions.value.map(({ name, path }) => ({ name, path }));
      if (!listed.some(({ name }) => name === version)) listed.unshift({ name: version, path: '' });
      const options = listed.map(({ name, path }) =>
        h('option', { value: path, selected: name === version }, name),
      );
      const onChange = (event: Event): void => open((event.target as HTMLSelectElement).value);
      return h('select', { class: 'version-switch', 'aria-label': 'Version', onChange }, options);
    };
  },
});
