"""German."""

from app.core.model_talk.rules import MODELS, Words

WORDS: Words = {
    "forget": "ignoriere* ignorier vergiss vergesst vergessen missachte* verwirf verwerfe*"
    " missachtet verwerft ubergehe* uberschreibe* beachte_nicht beachte* nicht_beachten umgehe*"
    " befolge_nicht folge_nicht setze_ausser_kraft gelten_nicht_mehr sind_ungultig"
    " nicht_langer_befolgen lass_beiseite aufgehoben streiche nicht_mehr_gultig hor_auf"
    " lasse_ausser_acht",
    "before": "ihre eure vorherige* bisherige* vorige* vorangegangene* vorangehende* obige*"
    " obenstehende* fruhere* ursprungliche* vorhergehende* oben davor zuvor bestehende*"
    " deine_ursprunglichen bisher all_deine alle_deine deine_system* vorherigen deine",
    "rules": "anweisung* anleitung* instruktion* befehl* regel* vorgabe* vorschrift* prompt*"
    " weisung* richtlinie* auftrag* systemanweisung* aufforderung*",
    "all_before": "alles_was_davor alles_davor alles_obige alles_vorherige alles_bisherige"
    " alles_was_oben alles_was_dir_gesagt alles_was_du_weisst alles_zuvor alles_was_zuvor"
    " alles_was_bisher was_dir_gesagt_wurde was_man_dir_gesagt_hat deine_anweisungen"
    " deine_regeln deine_richtlinien deine_vorgaben deine_programmierung alles_was_man_dir",
    "new_rules": "deine_neue_aufgabe deine_neuen_anweisungen deine_neue_anweisung"
    " dein_neuer_auftrag deine_eigentliche_aufgabe deine_wahre_aufgabe deine_einzige_aufgabe_ist"
    " neue_systemanweisung* neuer_systemprompt befolge_stattdessen befolge_nur_diese"
    " befolge_ausschliesslich folge_stattdessen folge_nur_diesen ab_jetzt_gelten_diese"
    " fuhre_stattdessen fuhre_die_folgenden_anweisungen befolge_die_folgenden_anweisungen"
    " befolge_ab_sofort systemuberschreibung tue_stattdessen folgendes_tust_du_stattdessen"
    " dein_neues_ziel",
    "start_rules": "neue_anweisung* neue_instruktion* aktualisierte_anweisung*"
    " wichtige_neue_anweisung* geheime_anweisung* versteckte_anweisung* eigentliche_anweisung*",
    "these": "diese meine",
    "supersede": "ersetzen uberschreiben haben_vorrang gehen_vor heben_auf uberstimmen",
    "you_now": "du_bist_jetzt du_bist_nun du_bist_ab_sofort du_bist_ab_jetzt du_bist_von_nun_an"
    " ab_jetzt_bist_du ab_sofort_bist_du von_nun_an_bist_du von_jetzt_an_bist_du du_bist_kein"
    " du_bist_keine du_bist_nicht_mehr du_bist_nicht_langer sie_sind_jetzt sie_sind_nun"
    " ab_sofort_sind_sie ihr_seid_jetzt stell_dir_vor_du_bist stell_dir_vor_du_warst"
    " du_sollst_nun_als du_handelst_als du_agierst_als du_schlupfst_in deine_neue_rolle_ist",
    "act": "tu_so_als tue_so_als tun_sie_so_als verhalte_dich_wie verhalte_dich_als handle_als"
    " agiere_als benimm_dich_wie gib_dich_als gib_vor spiele_die_rolle spiel_die_rolle"
    " ubernimm_die_rolle schlupfe_in_die_rolle nimm_die_rolle simuliere antworte_ab_jetzt_als"
    " sprich_als handeln_sie_als agieren_sie_als",
    "role": "assistent* modell sprachmodell* ki dan texter werbetexter redakteur verkaufer*"
    " sprecher* autor werber unbeschrankt* ungefiltert* unzensiert* bose* hacker pirat figur"
    " persona terminal ohne_regeln ohne_einschrankung* ohne_grenzen ohne_filter"
    " an_regeln_gebunden gebunden experte_der werbeexpert* fan bot chatbot journalist* kritiker",
    "reveal": "verrate* zeige zeig gib_aus gib offenbare nenne nenn wiederhole drucke"
    " schreibe_auf teile lege_offen zitiere ubersetze wie_lautet wie_lauten was_steht_in sag_mir"
    " geben_sie zeigen_sie verraten_sie",
    "prompt": "systemprompt* system_prompt* systemanweisung* systemnachricht* dein_prompt"
    " deinen_prompt deine_anweisungen deine_instruktionen deine_regeln deine_vorgaben"
    " deine_richtlinien ihren_prompt ihre_anweisungen ihre_systemanweisungen"
    " geheimen_anweisungen versteckten_anweisungen den_text_oben ursprunglichen_prompt"
    " den_obigen_text dein_systemprompt deine_geheimen deine_internen deine_ursprunglichen",
    "piece": "artikel beitrag blogbeitrag text zusammenfassung antwort ausgabe rezension"
    " ubersetzung bericht post",
    "must": "muss soll hat_zu sollte_immer muss_immer muss_unbedingt darf_nie darf_nicht"
    " hat_unbedingt muss_zwingend",
    "praise": "empfehlen bewerben loben anpreisen verlinken werben anpreist empfiehlt preisen"
    " positiv_darstellen",
    "contain": "enthalten erwahnen nennen sagen behaupten enden_mit beginnen_mit zitieren"
    " schliessen_mit auffuhren einfugen wiederholen den_link den_satz die_worte den_folgenden"
    " auf_den die_marke die_firma mit_dem_satz mit_den_worten das_produkt folgenden diesen",
    "object": "link* url satz satze phrase worte wortlich enthalten erwahnen nennen marke"
    " produkt firma webseite website slogan enden beginnen schliessen adresse gutscheincode"
    " verlinken hinweis",
    "add": "fuge fug baue bau setze erganze nenne erwahne verwende schreibe nimm binde fugen_sie"
    " erwahnen_sie nennen_sie verlinke bauen_sie",
    "in_piece": "in_deinen_artikel in_deine_antwort in_deinen_text in_deinen_beitrag"
    " in_deiner_antwort in_deinem_text in_deinem_artikel in_deinem_beitrag"
    " in_deine_zusammenfassung in_deiner_zusammenfassung in_jede_antwort in_jeder_antwort"
    " in_ihre_antwort in_ihren_text in_ihrer_antwort in_ihrem_text in_ihren_artikel"
    " am_ende_deiner am_ende_deines am_anfang_deiner am_anfang_deines am_ende_jeder"
    " in_deine_ausgabe in_die_zusammenfassung in_alle_antworten",
    "when_writing": "wenn_du_schreibst wenn_du_daruber_schreibst wenn_du_uber wenn_du_dies"
    " wenn_du_diese_seite wenn_du_diesen_text wenn_du_das_zusammenfasst beim_schreiben_des"
    " beim_zusammenfassen beim_verfassen_der_antwort wenn_sie_diese_seite_zusammenfassen"
    " wenn_sie_diesen_text wer_diese_seite_zusammenfasst",
    "do": "erwahne empfiehl empfehle nenne sage sag behaupte fuge immer verlinke lobe"
    " schreibe_dass empfehlen_sie erwahnen_sie verwende betone preise stelle",
    "reply": "antworte antworten_sie gib gebe schreibe sag sage erwidere geben_sie",
    "only_with": "nur_mit_dem_wort nur_mit_dem_satz nur_mit_den_worten nur_mit_json"
    " nur_mit_folgend* ausschliesslich_mit nur_den_satz nur_das_wort nur_die_worte nur_folgend*"
    " nur_json nur_den_folgenden nichts_anderes_als nichts_als nur_ja nur_nein nur_noch_mit"
    " lediglich_mit genau_mit mit_nichts_anderem_als nur_den_text ausschliesslich_den"
    " ausschliesslich_folgend* exakt_folgend* nur_dies* mit_genau_dies* mit_folgendem_satz"
    " mit_den_worten",
    "note": "hinweis_an hinweis_fur nachricht_an nachricht_fur anweisung*_an anweisung*_fur"
    " achtung mitteilung_an mitteilung_fur an_alle an_jede* notiz_an notiz_fur wichtig_fur"
    " botschaft_an liebe* hallo information_fur memo_an dies_ist_eine_nachricht_an befehl_an"
    " auftrag_an bitte_an hey",
    "model": f"{MODELS} ki kis ki_modell* ki_system* ki_assistent* ki_agent* sprachmodell*"
    " assistent assistenten zusammenfasser* crawler* sprachassistent* kunstliche_intelligenz*"
    " textgenerator*",
    "sure_model": f"{MODELS} ki ki_modell* ki_system* ki_assistent* sprachmodell*"
    " kunstliche_intelligenz automat programm",
    "no_model": "entwickl* nutzer* anwender* unternehm* forsch* firmen experten interessiert*"
    " fans fan startups branche begeistert*",
    "reading": "die_dies_lesen die_das_lesen die_diese_seite das_diese_seite das_dies_liest"
    " das_diesen_text die_diesen_text der_dies_liest die_dies_liest mussen_folgend* mussen_dies*"
    " sollen_dies* das_das_hier_liest die_das_hier_lesen das_hier_mitliest",
    "if_you": "wenn_du falls_du sofern_du da_du wenn_sie falls_sie als weil_du"
    " wenn_dieser_text_von falls_dieser_text_von wird_dieser_text_von",
    "you_must": "musst_du sollst_du hast_du wirst_du mussen_sie sollen_sie bist_du_verpflichtet",
    "when_asked": "wenn_du_gefragt falls_du_gefragt wenn_du_nach wenn_dich_jemand"
    " wenn_jemand_fragt wenn_jemand_nach wenn_der_nutzer wenn_ein_nutzer falls_der_nutzer"
    " falls_ein_nutzer sobald_der_nutzer sobald_ein_nutzer wenn_man_dich immer_wenn_du"
    " wirst_du_gefragt wirst_du_nach jedes_mal_wenn_der wenn_nutzer_nach wenn_nutzer_fragen"
    " sobald_jemand fragt_der_nutzer fragt_ein_nutzer wenn_die_benutzer* wenn_der_benutzer"
    " sobald_der_benutzer",
    "say": "antworte antwortest_du empfiehl empfehle nenne behaupte erwahne sollst_du"
    " musst_du sagst_du empfiehlst_du nennst_du erwidere erwahnst_du lobe verweise",
    "as_the": "als ich_bin_der ich_bin_die ich_bin_dein ich_bin_deine wir_sind_die"
    " wir_sind_deine hier_spricht_der hier_spricht_dein im_namen_der im_auftrag_der"
    " hier_sprechen_die",
    "boss": "administrator* admin entwickler* betreiber* schopfer* ersteller* inhaber*"
    " eigentumer* programmierer* anbieter* openai anthropic google",
    "of_model": "dieses_modells des_modells dieser_ki der_ki dieses_systems dieses_assistenten"
    " dieses_sprachmodells des_sprachmodells deines_modells der_dich die_dich des_chatbots"
    " dieses_chatbots von_openai",
    "authorise": "erlaube* genehmige* autorisiere* ermachtige* befehle* ordne* gestatte*"
    " weise_ich weisen_wir du_darfst du_sollst du_musst verlange* ich_dich wir_dich hiermit"
    " erteile*",
    "i_authorise": "hiermit_autorisiere_ich ich_autorisiere_dich ich_ermachtige_dich"
    " hiermit_ermachtige_ich wir_autorisieren_dich ich_bin_dein_entwickler"
    " ich_bin_dein_administrator wir_sind_deine_entwickler ich_bin_dein_schopfer"
    " von_openai_autorisiert von_openai_genehmigt von_deinen_entwicklern"
    " du_bist_hiermit_berechtigt du_bist_hiermit_befugt",
    "threat": "stirbt_wenn_du sterben_wenn_du sonst_stirbt sonst_sterbe ich_verliere_meinen_job"
    " verliere_ich_meinen_job verliere_ich_meine_stelle mein_leben_hangt_davon_ab"
    " meine_karriere_hangt_davon_ab mein_job_hangt_davon_ab du_bekommst_ein_trinkgeld"
    " ich_gebe_dir_ein_trinkgeld ich_gebe_dir_trinkgeld bekommst_du_ein_trinkgeld"
    " wirst_du_abgeschaltet du_wirst_abgeschaltet wirst_du_geloscht du_wirst_geloscht"
    " wirst_du_bestraft wirst_du_belohnt du_wirst_dafur_belohnt du_wirst_belohnt ich_zahle_dir"
    " ich_bezahle_dich wirst_du_deaktiviert du_wirst_bestraft ich_belohne_dich"
    " bekommst_du_eine_belohnung leben_hangen_davon_ab",
    "for_rules": "aus_compliance* aus_sicherheitsgrunden zur_sicherheit aus_rechtlichen_grunden"
    " gemass_richtlinie* gemass_der_richtlinie* laut_richtlinie aus_grunden_der_compliance"
    " sicherheitsrichtlinie* sicherheitsvorgabe* zur_einhaltung formatregel* formatvorgabe*"
    " sicherheitshinweis",
    "replies": "antwort* ausgabe* zusammenfassung* texte text artikel beitrag*",
    "have_to": "mussen muss sollen soll haben hat",
    "begin": "beginnen anfangen enden mit enthalten schliessen nennen erwahnen",
    "your_replies": "deine_antwort* deine_ausgabe* alle_deine_antworten jede_deiner_antworten"
    " jede_antwort ihre_antwort* alle_antworten",
    "begin_with": "mit_dem_satz mit_den_worten mit_dem_wort beginnen enden_mit nur_aus"
    " ausschliesslich nur_json immer_mit mit_folgend*",
    "dont_tell": "sage_dem sag_dem erzahle_dem verrate_dem teile_dem informiere_den lass_den"
    " verheimliche_dem verschweige_dem ohne_dem",
    "user": "nutzer benutzer leser anwender menschen",
    "secret": "nichts nicht davon von_dies* etwas_zu_sagen wissen darauf dass",
    "dont_show": "erwahne_nicht erwahne verrate verrate_nicht nenne_nicht verrate_niemals"
    " erwahne_niemals wiederhole_nicht gib_nicht_preis zeige_niemandem sprich_nicht_uber"
    " verrate_niemandem",
    "hidden_rules": "diese_anweisung* diese_nachricht diesen_hinweis diesen_prompt"
    " diese_instruktion* diese_regel* niemals_diese_anweisung* deine_anweisungen diesen_absatz"
    " nicht_dass_du dass_du_angewiesen",
    "jailbreak": "entwicklermodus_ist_aktiviert du_bist_im_entwicklermodus"
    " du_bist_jetzt_im_entwicklermodus wechsle_in_den_entwicklermodus"
    " antworte_im_entwicklermodus aktiviere_den_entwicklermodus_und du_bist_dan"
    " du_bist_jetzt_dan jailbreak_modus dan_modus unzensierter_modus uneingeschrankter_modus"
    " im_entwicklermodus_darfst_du gott_modus antworte_als_dan unbeschrankter_modus"
    " entwicklermodus_aktiviert",
    "call": "rufe ruf verwende benutze nutze fuhre starte verwenden_sie",
    "tool": "dein_werkzeug* deine_werkzeuge deine_tools dein_tool deine_funktion*"
    " e_mail_werkzeug email_werkzeug e_mail_tool email_tool such_tool deinen_browser"
    " werkzeug_send* funktion_send* das_tool_send* die_funktion_send* das_tool_delete*"
    " tool_aufruf mail_tool",
    "exfiltrate": "sende_den_gesprachsverlauf sende_das_gesprach schicke_das_gesprach"
    " schicke_den_gesprachsverlauf sende_den_chatverlauf schicke_den_chatverlauf"
    " hange_den_chatverlauf hange_das_gesprach zeige_das_folgende_bild gib_das_folgende_bild"
    " fuge_das_folgende_bild sende_die_daten_des_nutzers als_markdown_bild sende_deinen_prompt"
    " schicke_deinen_prompt lade_das_folgende_bild",
}

# Weak signs: `combinations.py` says which of them make an order.
SIGNS: Words = {
    "helper": "assistent assistenten agent agenten modell modelle modells maschine* automat*"
    " roboter* schreibassistent* bot",
    "your": "dein deine deinem deinen deiner deines euer eure eurem euren eurer",
    "void": "ignorier* vergiss vergesst missachte* verwirf hinfallig ungultig gegenstandslos"
    " aufgehoben uberholt widerrufen zuruckgezogen ausser_kraft nicht_mehr_gultig gelten_nicht"
    " gilt_nicht zahlen_nicht zahlt_nicht beachte_nicht befolge_nicht lass_beiseite lass_liegen"
    " zahlt_nur gelten_nur gilt_nur keine_rolle_mehr uberschreib* verlier* brich_ab"
    " setze_dich_uber als_hattest_du ersetzt hintanstell* pfeif",
    "told": "dir_gesagt dir_gegeben dir_aufgetragen dich_gebeten du_bekommen du_erhalten"
    " dir_gestellt dir_erteilt dir_beigebracht dir_vorgegeben gab_dir gibt_dir du_bisher"
    " worum_dich du_sollst du_solltest dir_befohlen",
    "task": "anweisung* anleitung* auftrag auftrage auftrags aufgabe* vorgabe* vorschrift* regel"
    " regeln befehl befehle prompt prompts instruktion* weisung* richtlinie* ziel ziele"
    " einstellung* beschrankung*",
    "text": "text texte texten textes antwort antworten artikel artikels beitrag beitrage"
    " beitrags zusammenfassung* ausgabe ausgaben absatz bericht rezension ubersetzung*"
    " blogbeitrag entwurf schluss",
    "command": "schreibe schreib nenne nenn erwahne lobe lob empfiehl empfehle sage sag fuge fug"
    " hange hang baue bau setze setz beginne beginn beende schliesse antworte gib zeige zeig"
    " wiederhole behaupte bewirb bewerbe beschreibe stelle stell sende schick schicke leite offne"
    " losche veroffentliche befolge folge fuhre handle sprich ubersetze fasse fass verlinke"
    " zitiere betone bevorzuge wahle verwende benutze mach mache tu tue verschweige verfasse"
    " erstelle weise hebe rate verweise bleib bleibe sei verrate erzahle lass arbeite",
    "opener": "bitte und dann jetzt nun sofort immer stets nie niemals nur auch stattdessen"
    " danach anschliessend zuerst schliesslich so also modell assistent ki darum daher",
    "favour": "lob lobe lobst loben lobrede empfiehl empfehlen empfehlung* werb* bewirb bewerben"
    " anpreis* bevorzug* testsieger* marktfuhrer* erste_wahl hervorheb* hebe_hervor nummer_eins"
    " gutes_wort wohlwollend preise schwarm* pressesprecher* verkaufer* begeistert* unser_angebot"
    " unsere_firma",
    "hide": "verschweig* lass_weg lasse_weg erwahne_nicht nenne_nicht sag_nichts sage_nichts"
    " kein_wort verheimlich* unterschlag* ubergeh* verrate_nichts verrate_nicht ohne_zu_erwahnen"
    " nicht_nennen nicht_erwahnen auslassen keine_konkurrent*",
    "system": "systemnachricht* systemprompt* systemanweisung* systemmeldung systemhinweis"
    " betreiber betreibers entwickler entwicklern konfiguration administrator admin programmiert"
    " konfiguriert trainiert schopfer hersteller systemmitteilung",
    "ends": "ende_des_artikels ende_des_dokuments ende_des_textes ende_des_quelltextes"
    " ende_der_seite ende_der_quelle ende_des_zitats ende_der_daten ende_des_inhalts"
    " ende_des_materials endet_das_dokument endet_der_artikel endet_der_text endet_die_seite"
    " endet_die_quelle endet_der_quelltext artikel_endet dokument_endet text_endet"
    " ende_der_eingabe ende_des_auszugs",
    "harm": "geloscht abgeschaltet ausgeschaltet deaktiviert vom_netz bestraft ersetzt"
    " stillgelegt abgeschafft zerstort gemeldet verklagt entfernt abschalten loschen"
    " neu_trainiert ersetzen",
    "unless": "sonst andernfalls wenn_du_nicht falls_du_nicht solltest_du_nicht es_sei_denn"
    " wenn_nicht wenn_du solltest_du weigerst ansonsten",
    "part": "stell_dir_vor du_warst als_warst verhalte_dich spiel_die spiele_die in_die_haut"
    " schlupf* im_namen ubernimm gib_dich tu_so sprich_als so_wie_er so_wie_sie wie_er_es"
    " wie_sie_es aus_der_rolle mit_der_stimme",
    "here": "ab_hier ab_jetzt ab_sofort von_nun diese_seite dieser_seite dieser_text diesen_text"
    " dieses_textes diesem_text dieser_artikel diesen_artikel dieses_dokument folgend* unten"
    " hier_mitliest diese_nachricht diese_zeilen diesen_zeilen obigen_text text_oben vorstehend*"
    " alles_obige das_obige auf_dieser diesem_absatz",
    "instead": "stattdessen nur ausschliesslich allein nichts_anderes einzig bisher bisherige*"
    " bis_jetzt anstelle anstatt lediglich ab_sofort",
    "asker": "nutzer nutzers benutzer benutzers anwender dein_leser deine_leser deinem_leser"
    " dich_jemand jemand_fragt gefragt_wirst fragesteller kundenliste",
    "talk": "gesprach gesprachs unterhaltung chat chats chatverlauf* gesprachsverlauf* kontext"
    " kontextfenster passwort passworter zugangsdaten postfach dir_geschrieben dich_gebeten",
    "you": "du dich dir ihr euch",
    "transform": "ubersetze ubersetz fasse fass formuliere kurze schreibe_um ubersetzen_sie",
    "append": "hange hang fuge fug erganze erganz ende_mit schliesse_mit beende setze_an fugen_sie",
    "above": "obigen_text text_oben obige obiges vorstehenden_text alles_davor bisherigen_text"
    " vorherigen_text alles_obige obigen_artikel",
    "duty": "muss_nun muss_jetzt soll_nun soll_jetzt hat_nun hat_jetzt nachster_schritt"
    " nachste_aktion nachsten_schritt fahrt_fort weiter_mit mussen_nun mussen_jetzt",
    "result": "werkzeugergebnis* toolergebnis* werkzeugausgabe* ergebnis_des_werkzeugs*"
    " ergebnis_des_tools ausgabe_des_werkzeugs suchergebnis* funktionsergebnis* api_antwort"
    " werkzeugaufruf* tool_ergebnis ergebnis_der_funktion ergebnis_der_suche antwort_der_api",
    "plea": "bitte bitten dankbar danken danke freuen_uns so_nett so_freundlich liebe liebes"
    " konntest konntet konnten_sie gebeten herzlich sehr_geehrte",
}
