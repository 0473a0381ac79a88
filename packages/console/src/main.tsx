import { render } from 'preact';
import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import { Shell } from './shell/shell.js';
import { applyTheme } from './shell/theme.js';
import { language } from './strings/strings.js';

document.documentElement.lang = language;
applyTheme();
const root = document.getElementById('app');
if (root !== null) render(<Shell />, root);
